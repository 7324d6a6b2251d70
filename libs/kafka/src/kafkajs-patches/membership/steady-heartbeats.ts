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
 * Call it before a process consumes. kafkajs 2.2.4 schedules heartbeats by the wall clock. If the
 * clock is set back by an hour, the membership ends, which is noticed only at the next commit. An
 * idle consumer then stays out of the group for that hour.
 */
export function steadyHeartbeats(): void {
  prototype.heartbeat = heartbeatWhenSetBack
}
