import type { ProcessHandle, ProcessOwner } from '../lib/processes/managed-process.ts'
import type { Credentials } from './secured/credentials.ts'

export type ComponentName = 'kafka' | 'registry' | 'postgres' | 'redis'

export type ComponentOptions = {
  /** The directory of the stack's state and logs. */
  dir: string
  port: number
  owner: ProcessOwner
  keepAlive: boolean
  /** Variables in addition to those of this process. */
  env?: NodeJS.ProcessEnv | undefined
  /** Server settings in addition to the defaults here. */
  settings?: Readonly<Record<string, string>> | undefined
  /** TLS, users and access rules, if the component supports them itself. */
  secured?: Credentials | undefined
}

export type Component = { url: string; process: ProcessHandle }

/** Returns the environment of a component's process. The default is that of this process. */
export function environment({ env }: ComponentOptions): { env?: NodeJS.ProcessEnv } {
  return env === undefined ? {} : { env: { ...process.env, ...env } }
}
