import { readFileSync } from 'node:fs'
import { Surehook, type SurehookOptions } from '@surehook/client'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure, type OptionSpecs, UsageError } from '../cli/command.ts'
import { findRunningSystem, type RunningSystem } from './running-system.ts'

/** URL of the gateway, and the administration token. */
export type Platform = { baseUrl: string; adminToken: string }

/** Options of commands that call the gateway. */
export const platformOptions = {
  url: {
    type: 'string',
    value: 'url',
    help: 'the gateway. Default: SUREHOOK_URL, or the system that `npm start` runs',
  },
  'token-file': { type: 'string', value: 'file', help: 'a file with the administration token' },
} as const satisfies OptionSpecs

export const platformVariables = {
  SUREHOOK_URL: 'the URL of the gateway',
  SUREHOOK_ADMIN_TOKEN: 'the administration token; else the first of PLATFORM_ADMIN_TOKEN',
} as const

type PlatformValues = {
  readonly url: string | undefined
  readonly 'token-file': string | undefined
}

/**
 * Finds the gateway and its token. The token of `npm start` is sent only to the system of `npm
 * start`.
 */
export function findPlatform(
  values: PlatformValues,
  env: NodeJS.ProcessEnv,
  running: () => RunningSystem | null = findRunningSystem,
): Platform {
  const url = values.url ?? (env['SUREHOOK_URL'] || undefined)
  const given =
    values['token-file'] === undefined ? adminTokenIn(env) : tokenIn(values['token-file'])
  const system = running()
  const baseUrl = url === undefined ? system?.baseUrl : checkedUrl(url)
  if (baseUrl === undefined) {
    throw new UsageError(
      'no system runs from this checkout: say where it is with --url or SUREHOOK_URL',
    )
  }
  const adminToken = given ?? (system?.baseUrl === baseUrl ? system.adminToken : undefined)
  if (adminToken === undefined) {
    throw new UsageError(
      'the administration token is missing: SUREHOOK_ADMIN_TOKEN or --token-file',
    )
  }
  return { baseUrl, adminToken }
}

type AdminClientOptions = { project?: string; environment?: string } & Pick<
  SurehookOptions,
  'fetch'
>

/** Exporting and importing take longer than the usual call. */
const adminTimeoutMs = 60_000

/**
 * The client that acts with the administration token. The operator belongs to no project, but the
 * client needs one.
 */
export function adminClientOf(
  { baseUrl, adminToken }: Platform,
  { project = '-', environment = 'master', ...options }: AdminClientOptions = {},
): Surehook {
  const names = { projectId: project, environment }
  return new Surehook({
    ...{ baseUrl, ...names, token: adminToken, timeout: adminTimeoutMs },
    ...options,
  })
}

function adminTokenIn(env: NodeJS.ProcessEnv): string | undefined {
  return firstToken(env['SUREHOOK_ADMIN_TOKEN'] || env['PLATFORM_ADMIN_TOKEN'])
}

/** During a token rotation a variable has two tokens. Clients send the first. */
export const firstToken = (text: string | undefined): string | undefined =>
  text?.split(',')[0]?.trim() || undefined

/** Reads the token, or the secret, in the file that an option names. */
export function tokenIn(file: string, option = 'token-file'): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (err) {
    throw new Failure(`--${option}: ${reasonOf(err)}`)
  }
  if (!/^\S+$/.test(text)) throw new Failure(`--${option}: ${file} does not hold one token`)
  return text
}

export function checkedUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`"${text}" is not an http or https URL`)
  }
  return text.replace(/\/+$/, '')
}
