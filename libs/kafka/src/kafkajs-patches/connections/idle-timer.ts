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
 * Call it before a process connects. kafkajs 2.2.4 checks for pending requests every millisecond
 * while a connection is open, even if there are none
 * (https://github.com/tulios/kafkajs/issues/1704). That costs 4 % of a core in an idle process.
 * With this patch a request that has to wait schedules the check itself.
 */
export function stopIdleTimers(): void {
  prototype.scheduleCheckPendingRequests = scheduleWhenNeeded
}
