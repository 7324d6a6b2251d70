import { Surehook, type SurehookOptions } from '@surehook/client'
import { type OptionGroup, type OptionSpecs, UsageError, type Values } from '../cli/command.ts'
import { checkedUrl, platformOptions, tokenIn } from '../lib/platform-client.ts'
import { findRunningSystem } from '../lib/running-system.ts'
import { type Profile, readProfiles } from './profile-file.ts'

/** The URL of the gateway, and who named it: `call` is `--url` or SUREHOOK_URL. */
export type Gateway = {
  baseUrl: string
  from: 'call' | 'named profile' | 'current profile' | 'checkout'
}

/** An environment, and the management token for it. */
export type Tenant = { baseUrl: string; project: string; environment: string; token: string }

/** Options of commands that act as a developer of one environment. */
export const tenantOptions = {
  profile: {
    type: 'string',
    value: 'name',
    help: 'a profile of "surehook login". Default: SUREHOOK_PROFILE, or the current profile',
  },
  url: {
    ...platformOptions.url,
    help: 'the gateway. Default: SUREHOOK_URL, the profile, or the system that `npm start` runs',
  },
  project: {
    type: 'string',
    value: 'id',
    help: 'the project. Default: SUREHOOK_PROJECT, or the profile',
  },
  environment: {
    type: 'string',
    value: 'name',
    help: 'the environment. Default: SUREHOOK_ENVIRONMENT, the profile, or master',
  },
  'token-file': {
    type: 'string',
    value: 'file',
    help: 'a file with the management token. Default: SUREHOOK_TOKEN, or the profile',
  },
} as const satisfies OptionSpecs
export type TenantValues = Values<typeof tenantOptions>

export const tenantVariables = {
  SUREHOOK_PROFILE: 'the profile',
  SUREHOOK_URL: 'the URL of the gateway, instead of that of the profile',
  SUREHOOK_PROJECT: 'the project, instead of that of the profile',
  SUREHOOK_ENVIRONMENT: 'the environment, instead of that of the profile',
  SUREHOOK_TOKEN:
    'a management token of the project. Needs --url or SUREHOOK_URL: it is not sent to the URL of a profile',
} as const

const tenantGroup: OptionGroup = {
  title: 'Options of the login',
  options: tenantOptions,
  variables: tenantVariables,
}

/** What every command with `tenantOptions` says about itself. */
export const tenantDescription = {
  variables: tenantVariables,
  group: tenantGroup,
  audience: 'developers',
} as const

/**
 * Finds the environment that a command acts on. Options win over variables, and variables over the
 * current profile. A profile that `--profile` names wins over variables: they may belong to another
 * system. For the same reason the token of a variable is not sent to the URL of a profile. A token
 * is no option, because options are visible to other users of the machine.
 */
export function findTenant(values: TenantValues, env: NodeJS.ProcessEnv): Tenant {
  const variables = variablesOf(values, env)
  const profile = findProfile(values.profile, env)
  const project = values.project ?? (variables['SUREHOOK_PROJECT'] || profile?.project)
  if (!project) throw missing('project', '--project, SUREHOOK_PROJECT')
  const gateway = gatewayOf(values, env, profile)
  const token = tokenOf(values['token-file'], variables['SUREHOOK_TOKEN'], profile, gateway)
  const environment =
    values.environment ?? (variables['SUREHOOK_ENVIRONMENT'] || profile?.environment || 'master')
  return { baseUrl: gateway.baseUrl, project, environment, token }
}

/** Finds only the gateway, for commands that need no project. */
export function findGateway(values: TenantValues, env: NodeJS.ProcessEnv): Gateway {
  return gatewayOf(values, env, findProfile(values.profile, env))
}

export function clientOf(
  { baseUrl, project, environment, token }: Tenant,
  options: Pick<SurehookOptions, 'fetch' | 'adminToken'> = {},
): Surehook {
  return new Surehook({ baseUrl, projectId: project, environment, token, ...options })
}

function findProfile(named: string | undefined, env: NodeJS.ProcessEnv): Profile | undefined {
  const { current, profiles } = readProfiles(env)
  const name = named ?? (env['SUREHOOK_PROFILE'] || undefined)
  if (name === undefined) return current === null ? undefined : profiles[current]
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile === undefined) {
    throw new UsageError(
      `there is no profile "${name}": surehook profiles list shows what there is`,
    )
  }
  return profile
}

const variablesOf = ({ profile }: TenantValues, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  profile === undefined ? env : {}

function gatewayOf(
  values: TenantValues,
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
): Gateway {
  const given = values.url || variablesOf(values, env)['SUREHOOK_URL']
  if (given) return { baseUrl: checkedUrl(given), from: 'call' }
  if (profile !== undefined) {
    const from = values.profile === undefined ? 'current profile' : 'named profile'
    return { baseUrl: checkedUrl(profile.url), from }
  }
  const system = findRunningSystem()
  if (system === null) throw missing('gateway', '--url, SUREHOOK_URL')
  return { baseUrl: checkedUrl(system.baseUrl), from: 'checkout' }
}

function tokenOf(
  file: string | undefined,
  variable: string | undefined,
  profile: Profile | undefined,
  { baseUrl, from }: Gateway,
): string {
  if (file !== undefined) return tokenIn(file)
  if (variable && from === 'current profile') {
    throw new UsageError(
      'SUREHOOK_TOKEN is not sent to the URL of a profile: set SUREHOOK_URL or --url too, or ' +
        'unset SUREHOOK_TOKEN, or name the profile with --profile to use its own token',
    )
  }
  if (variable) return variable
  // The token of a profile is sent only to the system that it is for.
  if (profile?.url === baseUrl) return profile.token
  throw missing('management token', 'SUREHOOK_TOKEN, --token-file')
}

const missing = (what: string, ways: string) =>
  new UsageError(
    `the ${what} is missing: ${ways} or "surehook login". An operator creates a token with ` +
      '"surehook admin tokens create"',
  )
