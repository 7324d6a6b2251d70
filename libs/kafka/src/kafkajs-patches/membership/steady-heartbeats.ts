import { createRequire } from 'node:module'

type ConsumerGroup = {
  lastRequest: number
  heartbeat(options: { interval: number }): Promise<void>
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { heartbeat } = prototype

function heartbeatWhenSetBack(this: ConsumerGroup, options: { interval: number }): Promise<void> {
  if (this.lastRequest > Date.now()) this.lastRequest = 0
  return heartbeat.call(this, options)
}

/**
 * To be called before a process consumes. kafkajs 2.2.4 sends the next heartbeat when the time of day
 * is an interval after the last one: a clock that is set back by an hour ends the membership, which
 * nobody notices until something is committed, and keeps an idle consumer out for that hour.
 */
export function steadyHeartbeats(): void {
  prototype.heartbeat = heartbeatWhenSetBack
}
