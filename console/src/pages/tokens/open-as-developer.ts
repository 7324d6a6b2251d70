import type { ManagementToken } from '@surehook/client'

/**
 * The environment that a new token opens: `master`, or the first one. `known` are the environments
 * of the project.
 */
export function environmentToOpen(
  { environments }: Pick<ManagementToken, 'environments'>,
  known: readonly string[],
): string | undefined {
  const names = environments ?? known
  return names.includes('master') ? 'master' : names[0]
}
