import { Pool } from 'undici'
import { Slots } from './slots.ts'
import { StalledStreams } from './stalled-streams.ts'

/** What requests of one kind share on their way to one upstream: as many slots as connections. */
export type Line = { pool: Pool; slots: Slots }

/**
 * One upstream. Large bodies have connections of their own: they hold one for as long as their client sends. The
 * gateway uses undici directly, for a third less CPU than a proxy over `node:http` (docs/evidence/decisions.md).
 */
export type Target = AsyncDisposable & {
  readonly prefix: string
  readonly whole: Line
  readonly streams: Line & { readonly stalled: StalledStreams }
}

const connectTimeoutMs = 3_000
const maxWaitMs = 5_000
const wholeLimits = { total: 1_024, perClient: 512, waiting: 2_048, maxWaitMs }
const streamLimits = { total: 64, perClient: 16, waiting: 128, maxWaitMs }

export function openTarget({ origin, pathname }: URL, timeoutMs: number): Target {
  const lineOf = (limits: typeof wholeLimits): Line => ({
    pool: new Pool(origin, {
      connections: limits.total,
      allowH2: false,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    }),
    slots: new Slots(limits),
  })
  const whole = lineOf(wholeLimits)
  const streams = lineOf(streamLimits)
  const stalled = new StalledStreams(streams.slots)
  return {
    prefix: pathname.replace(/\/$/, ''),
    whole,
    streams: { ...streams, stalled },
    async [Symbol.asyncDispose]() {
      stalled[Symbol.dispose]()
      await Promise.all([whole.pool.destroy(), streams.pool.destroy()])
    },
  }
}
