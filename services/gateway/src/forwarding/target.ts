import type { RequestListener } from 'node:http'
import { Pool } from 'undici'
import { Slots } from './slots.ts'
import { StalledStreams } from './stalled-streams.ts'

/** A service: its address, or its listener in this process. */
export type Place = URL | RequestListener

/** The path of one kind of request to one upstream, with as many slots as connections. */
export type Line = { slots: Slots; way: Pool | RequestListener }

/**
 * One upstream. Large bodies have separate connections, because each holds one while its client
 * sends. The gateway uses undici directly, which takes a third less CPU than a proxy over
 * `node:http` (docs/evidence/decisions.md).
 */
export type Target = AsyncDisposable & {
  readonly prefix: string
  readonly whole: Line
  readonly streams: Line & { readonly stalled: StalledStreams }
  /** For answers that may never end: they take no connection from other requests. */
  readonly endless: Line
}

const connectTimeoutMs = 3_000
const maxWaitMs = 5_000
const wholeLimits = { total: 1_024, perClient: 512, waiting: 2_048, maxWaitMs }
const endlessLimits = { total: 4_096, perClient: 1_024, waiting: 256, maxWaitMs }
/**
 * A stream sends something every 15 s, and a page of it comes within 30 s. An upstream that stays
 * silent for longer is gone.
 */
const endlessTimeoutMs = 60_000
const streamLimits = { total: 64, perClient: 16, waiting: 128, maxWaitMs }

export function openTarget(place: Place, timeoutMs: number): Target {
  const lineOf = (limits: typeof wholeLimits, silentMs = timeoutMs): Line => ({
    way: place instanceof URL ? openPool(place, limits.total, silentMs) : place,
    slots: new Slots(limits),
  })
  const whole = lineOf(wholeLimits)
  const streams = lineOf(streamLimits)
  const endless = lineOf(endlessLimits, endlessTimeoutMs)
  const stalled = new StalledStreams(streams.slots)
  return {
    prefix: place instanceof URL ? place.pathname.replace(/\/$/, '') : '',
    whole,
    endless,
    streams: { ...streams, stalled },
    async [Symbol.asyncDispose]() {
      stalled[Symbol.dispose]()
      const pools = [whole.way, streams.way, endless.way].filter((way) => way instanceof Pool)
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}

function openPool({ origin }: URL, connections: number, timeoutMs: number): Pool {
  return new Pool(origin, {
    connections,
    allowH2: false,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}
