import { type OptionSpecs, UsageError, type Values } from '../cli/command.ts'
import { firstToken, tokenIn } from '../lib/platform-client.ts'
import type { Gateway } from './tenant-client.ts'

/** Options of developers' commands that show more to an administrator. */
export const adminTokenOptions = {
  'admin-token-file': {
    type: 'string',
    value: 'file',
    help:
      'a file with the administration token. Default: SUREHOOK_ADMIN_TOKEN, if --url or ' +
      'SUREHOOK_URL names the gateway',
  },
} as const satisfies OptionSpecs

export const adminTokenVariables = {
  SUREHOOK_ADMIN_TOKEN:
    'the administration token. Needs --url or SUREHOOK_URL: it is not sent to the URL of a profile',
} as const

/**
 * Finds the administration token. The token of the variable is sent only to a URL that the call
 * names, because a current profile may belong to another system. Like all variables, it does not
 * count beside `--profile`. `PLATFORM_ADMIN_TOKEN` is a setting of services, and never read here.
 */
export function findAdminToken(
  values: Values<typeof adminTokenOptions>,
  env: NodeJS.ProcessEnv,
  { from }: Pick<Gateway, 'from'>,
): string | undefined {
  const file = values['admin-token-file']
  if (file !== undefined) return tokenIn(file, 'admin-token-file')
  const token = firstToken(env['SUREHOOK_ADMIN_TOKEN'])
  if (token === undefined || from === 'named profile') return undefined
  if (from === 'call') return token
  throw new UsageError(
    'SUREHOOK_ADMIN_TOKEN is sent only to --url or SUREHOOK_URL: set one of them, or give ' +
      '--admin-token-file, or unset SUREHOOK_ADMIN_TOKEN',
  )
}
