import { type OptionSpecs, UsageError, type Values } from '../cli/command.ts'
import { checkedUrl, platformOptions, tokenIn } from '../lib/platform-client.ts'
import { findRunningSystem } from '../lib/running-system.ts'

/** An environment, and the management token for it. */
export type Tenant = { baseUrl: string; project: string; environment: string; token: string }

/** Options of commands that act as a developer of one environment. */
export const tenantOptions = {
  url: platformOptions.url,
  project: { type: 'string', value: 'id', help: 'the project. Default: SUREHOOK_PROJECT' },
  environment: {
    type: 'string',
    value: 'name',
    help: 'the environment. Default: SUREHOOK_ENVIRONMENT, or master',
  },
  'token-file': { type: 'string', value: 'file', help: 'a file with the management token' },
} as const satisfies OptionSpecs

export const tenantVariables = {
  SUREHOOK_URL: 'the URL of the gateway',
  SUREHOOK_PROJECT: 'the project',
  SUREHOOK_ENVIRONMENT: 'the environment',
  SUREHOOK_TOKEN: 'a management token of the project',
} as const

/**
 * Finds the environment that a command acts on. A token is no option, because options are visible
 * to other users of the machine.
 */
export function findTenant(values: Values<typeof tenantOptions>, env: NodeJS.ProcessEnv): Tenant {
  const project = values.project ?? env['SUREHOOK_PROJECT']
  if (!project) throw new UsageError('the project is missing: --project or SUREHOOK_PROJECT')
  const url = values.url ?? (env['SUREHOOK_URL'] || findRunningSystem()?.baseUrl)
  if (url === undefined) throw new UsageError('the gateway is missing: --url or SUREHOOK_URL')
  const file = values['token-file']
  const token = file === undefined ? env['SUREHOOK_TOKEN'] : tokenIn(file)
  if (!token) {
    throw new UsageError(
      'the management token is missing: SUREHOOK_TOKEN or --token-file. An operator creates one with "surehook admin tokens create"',
    )
  }
  const environment = values.environment ?? (env['SUREHOOK_ENVIRONMENT'] || 'master')
  return { baseUrl: checkedUrl(url), project, environment, token }
}

export const tenantHeaders = ({ token, project, environment }: Tenant) => ({
  authorization: `Bearer ${token}`,
  'x-project-id': project,
  environment,
})
