import { createRequire } from 'node:module'

type RequestQueue = { readonly pending: readonly unknown[]; scheduleCheckPendingRequests(): void }

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: RequestQueue
}
const { scheduleCheckPendingRequests } = prototype

function scheduleWhenNeeded(this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}

/**
 * To be called before a process connects. kafkajs 2.2.4 looks for pending requests every
 * millisecond for as long as a connection is open, also when there are none
 * (https://github.com/tulios/kafkajs/issues/1704): 4 % of a core for an idle process. A request
 * that has to wait schedules the look itself.
 */
export function stopIdleTimers(): void {
  prototype.scheduleCheckPendingRequests = scheduleWhenNeeded
}
