import type { Tenant } from '@surehook/scripts/client/tenant'
import { surehook } from '../../support/commands/operator-cli.ts'

/** The URL that `surehook console` prints. */
export async function oneTimeUrl(
  baseUrl: string,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<string> {
  const variables = { SUREHOOK_URL: baseUrl, ...env }
  const answer = await surehook(variables, 'console', '--no-open', '--json', ...args)
  return (answer.json() as { url: string }).url
}

/** A developer's variables of the command. */
export const variablesOf = ({ projectId, environment, token }: Tenant) => ({
  SUREHOOK_PROJECT: projectId,
  SUREHOOK_ENVIRONMENT: environment,
  SUREHOOK_TOKEN: token,
})
