import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type ConsumerGroup = {
  lastRequest: number
  heartbeat(options: { interval: number }): Promise<void>
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
/** The methods as earlier patches have left them. */
const before = {} as Pick<ConsumerGroup, 'heartbeat'>

function heartbeatWhenSetBack(this: ConsumerGroup, options: { interval: number }): Promise<void> {
  if (this.lastRequest > Date.now()) this.lastRequest = 0
  return before.heartbeat.call(this, options)
}

/**
 * Call it before a process consumes. kafkajs 2.2.4 schedules heartbeats by the wall clock. If the
 * clock is set back by an hour, the membership ends, which is noticed only at the next commit. An
 * idle consumer then stays out of the group for that hour.
 */
export function steadyHeartbeats(): void {
  replaceMethods(prototype, before, { heartbeat: heartbeatWhenSetBack })
}
