import type { OptionSpecs, Values } from '../cli/command.ts'
import { adminTokenIn, tokenIn } from '../lib/platform-client.ts'

/** Options of developers' commands that show more to an administrator. */
export const adminTokenOptions = {
  'admin-token-file': {
    type: 'string',
    value: 'file',
    help: "a file with the administration's token. Default: SUREHOOK_ADMIN_TOKEN",
  },
} as const satisfies OptionSpecs

export const adminTokenVariables = {
  SUREHOOK_ADMIN_TOKEN: "the administration's token",
} as const

export function findAdminToken(
  values: Values<typeof adminTokenOptions>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const file = values['admin-token-file']
  return file === undefined ? adminTokenIn(env) : tokenIn(file, 'admin-token-file')
}
