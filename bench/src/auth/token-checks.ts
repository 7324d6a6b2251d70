import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LatencySummary } from '../measure/latencies.ts'

export type TokenChecks = {
  baseUrl: string
  projectId: string
  /** The path below `/gw/api/rest`. */
  path: string
  token: string
  perSecond: number
  seconds: number
}

/** Measures how long reads with a token take at a fixed rate. */
export async function timeTokenChecks(checks: TokenChecks): Promise<LatencySummary> {
  const entry = fileURLToPath(new URL('./token-checks-process.ts', import.meta.url))
  const child = fork(entry, [JSON.stringify(checks)], { execArgv: process.execArgv })
  const ended = new AbortController()
  child.once('exit', (code) => {
    ended.abort(new Error(`The process that checks tokens ended with ${code}`))
  })
  const [summary] = (await once(child, 'message', { signal: ended.signal })) as [LatencySummary]
  return summary
}
