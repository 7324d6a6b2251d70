import type { ProcessHandle, ProcessOwner } from '../lib/managed-process.ts'
import type { Credentials } from './secured/credentials.ts'

export type ComponentName = 'kafka' | 'registry' | 'postgres' | 'redis'

export type ComponentOptions = {
  /** State and logs of the stack. */
  dir: string
  port: number
  owner: ProcessOwner
  keepAlive: boolean
  /** Variables besides those of this process. */
  env?: NodeJS.ProcessEnv | undefined
  /** Settings of the server besides those that it has here. */
  settings?: Readonly<Record<string, string>> | undefined
  /** TLS, users and what they may do, where the component has them itself. */
  secured?: Credentials | undefined
}

export type Component = { url: string; process: ProcessHandle }

/** For a component's process; without variables of its own it has those of this one. */
export function environment({ env }: ComponentOptions): { env?: NodeJS.ProcessEnv } {
  return env === undefined ? {} : { env: { ...process.env, ...env } }
}
