import { setImmediate as turn } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { type PartitionWorld, topics } from './partition-world.ts'

export const subscriptions = ['a1', 'a2', 'b1']

/** Waits until jobs without room have moved to the paused topic. */
export function shed(on: PartitionWorld): void {
  on.worker.relieve()
  jest.advanceTimersByTime(600)
  on.worker.relieve()
}

/** Enqueues more than there is room for, so that some deliveries are paused. */
export async function crowd(on: PartitionWorld, subscriptionId: string): Promise<void> {
  for (let n = 0; n < 8; n++) on.enqueue(subscriptionId)
  on.fetch(deliveriesTopic, 20)
  await turn()
  shed(on)
  await on.settle()
  on.commit()
}

/** Everything is answered, and read, until all is delivered or cancelled. */
export async function drain(on: PartitionWorld): Promise<void> {
  on.worker.drain(false)
  for (const id of subscriptions) on.setActive(id, true)
  for (let round = 0; round < 400 && on.history.ended < on.enqueued; round++) {
    for (const topic of topics) on.fetch(topic, 50)
    for (let n = 0; n < 8; n++) on.answer(200, true)
    await on.settle()
    on.commit()
    jest.advanceTimersByTime(100)
    on.worker.relieve()
  }
}
