import type { ProcessHandle, ProcessOwner } from '../lib/managed-process.ts'

export type ComponentName = 'kafka' | 'registry' | 'postgres' | 'redis'

export type ComponentOptions = {
  /** State and logs of the stack. */
  dir: string
  port: number
  owner: ProcessOwner
  keepAlive: boolean
}

export type Component = { url: string; process: ProcessHandle }
