import type { OptionSpecs } from '../../../cli/command.ts'
import { newSecret } from '../../../lib/new-secret.ts'
import { tokenIn } from '../../../lib/platform-client.ts'

/** A secret is no option, because options are visible to other users of the machine. */
export const secretOptions = {
  'secret-file': {
    type: 'string',
    value: 'file',
    help: 'a file with the signing secret. Default: SUREHOOK_WEBHOOK_SECRET, else a new one',
  },
} as const satisfies OptionSpecs

export const secretVariables = { SUREHOOK_WEBHOOK_SECRET: 'the signing secret' } as const

/** `isNew`: the command has made the secret, so the output must show it. */
type SigningSecret = { secret: string; isNew: boolean }

export function signingSecret(file: string | undefined, env: NodeJS.ProcessEnv): SigningSecret {
  if (file !== undefined) return { secret: tokenIn(file, 'secret-file'), isNew: false }
  const variable = env['SUREHOOK_WEBHOOK_SECRET']
  if (variable) return { secret: variable, isNew: false }
  return { secret: newSecret(), isNew: true }
}

export type ShownSecret = { lines: readonly string[]; fields: object }

/** Shows a new secret, this once. */
export function shownSecret({ secret, isNew }: SigningSecret): ShownSecret {
  if (!isNew) return { lines: [], fields: {} }
  return { lines: ['', `signing secret, shown only now: ${secret}`], fields: { secret } }
}
