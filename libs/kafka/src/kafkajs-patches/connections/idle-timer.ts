import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type SocketRequest = {
  /** Milliseconds since 1970. */
  readonly sentAt: number
  /** Milliseconds. */
  readonly requestTimeout: number
  timeoutRequest(): void
}

/** The requests of one connection. */
type RequestQueue = {
  readonly enforceRequestTimeout: boolean
  readonly inflight: ReadonlyMap<number, SocketRequest>
  readonly pending: readonly unknown[]
  isConnected(): boolean
  scheduleRequestTimeoutCheck(): void
  scheduleCheckPendingRequests(): void
  destroy(): void
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: RequestQueue
}
/** The methods as earlier patches have left them. */
const before = {} as RequestQueue

function scheduleWhenNeeded(this: RequestQueue): void {
  if (this.pending.length > 0) before.scheduleCheckPendingRequests.call(this)
}

/** A request times out at most this much later. */
const lookEveryMs = 1_000
const connected = new Set<RequestQueue>()
let looking: NodeJS.Timeout | undefined

function lookWithOthers(this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return
  connected.add(this)
  looking ??= setInterval(look, lookEveryMs)
}

function look(): void {
  for (const queue of connected) {
    for (const request of queue.inflight.values()) {
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest()
    }
    if (!queue.isConnected()) stopLooking.call(queue)
  }
}

function stopLooking(this: RequestQueue): void {
  before.destroy.call(this)
  connected.delete(this)
  if (connected.size > 0) return
  clearInterval(looking)
  looking = undefined
}

/**
 * Call it before a process connects. kafkajs 2.2.4 checks for pending requests every millisecond
 * while a connection is open, even if there are none
 * (https://github.com/tulios/kafkajs/issues/1704). That costs 4 % of a core in an idle process.
 * With this patch a request that has to wait schedules the check itself. kafkajs also looks for
 * timeouts ten times a second per connection. With this patch, one timer looks for all connections.
 */
export function stopIdleTimers(): void {
  replaceMethods(prototype, before, {
    scheduleCheckPendingRequests: scheduleWhenNeeded,
    scheduleRequestTimeoutCheck: lookWithOthers,
    destroy: stopLooking,
  })
}
