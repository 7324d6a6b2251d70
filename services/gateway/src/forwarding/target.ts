import type { RequestListener } from 'node:http'
import { unavailable } from '@surehook/service-kit/errors'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import { Pool } from 'undici'
import { StalledStreams } from './stalled-streams.ts'

/** A service: its address, or its listener in this process. */
export type UpstreamAddress = URL | RequestListener

/** The path of one kind of request to one upstream, with as many slots as connections. */
export type UpstreamPool = { slots: FairSlots; way: Pool | RequestListener }

/**
 * One upstream. Large bodies have separate connections, because each holds one while its client
 * sends. The gateway uses undici directly, which takes a third less CPU than a proxy over
 * `node:http` (docs/evidence/decisions.md).
 */
export type Target = AsyncDisposable & {
  readonly prefix: string
  readonly whole: UpstreamPool
  readonly streams: UpstreamPool & { readonly stalled: StalledStreams }
  /** For answers that may never end: they take no connection from other requests. */
  readonly endless: UpstreamPool
}

const connectTimeoutMs = 3_000
const maxWaitMs = 5_000
/** Requests in progress and waiting requests: of all clients, and of each. */
const wholeLimits = { room: { all: 1_024, each: 512 }, waiting: { all: 2_048, each: 1_024 } }
const endlessLimits = { room: { all: 4_096, each: 1_024 }, waiting: { all: 256, each: 128 } }
const streamLimits = { room: { all: 64, each: 16 }, waiting: { all: 128, each: 64 } }
/**
 * A stream sends something every 15 s, and a page of it comes within 30 s. An upstream that stays
 * silent for longer is gone.
 */
const endlessTimeoutMs = 60_000

export function openTarget(place: UpstreamAddress, timeoutMs: number): Target {
  const lineOf = (limits: typeof wholeLimits, silentMs = timeoutMs): UpstreamPool => ({
    way: place instanceof URL ? openPool(place, limits.room.all, silentMs) : place,
    slots: new FairSlots({ ...limits, maxWaitMs, refusal }),
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

const refusal = (reason: 'crowded' | 'late') =>
  unavailable(
    reason === 'crowded'
      ? 'too many requests wait for this upstream'
      : 'no connection to this upstream became free in time',
  )

function openPool({ origin }: URL, connections: number, timeoutMs: number): Pool {
  return new Pool(origin, {
    connections,
    allowH2: false,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}
