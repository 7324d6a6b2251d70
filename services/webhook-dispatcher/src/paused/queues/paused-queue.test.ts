import { expect, it } from '@jest/globals'
import type { Delivery } from '../../delivery/delivery.ts'
import { PausedQueue, positionOf } from './paused-queue.ts'

const at = (arrival: number, offset: number) =>
  ({ job: { arrival, deliveryId: `${arrival}` }, message: { offset } }) as unknown as Delivery

it('reads a delivery again that found no room, even if another run was read first', () => {
  const queue = new PausedQueue({ id: 's', subscriptionId: 's', group: null })
  const first = { id: 1, from: 1, position: 5 }
  const topic = [
    { delivery: at(1, 1), run: 1 },
    { delivery: at(10, 2), run: 0 },
    { delivery: at(5, 3), run: 1 },
    { delivery: at(20, 4), run: 0 },
  ]
  for (const { delivery, run } of topic) {
    queue.place(positionOf(delivery), { run, part: 0, near: 2, scan: first })
  }
  const second = { id: 2, from: 1, position: 5 }
  for (const { delivery, run } of topic) {
    const owner = queue.ownerOf(positionOf(delivery), { run, part: 0, scan: second })
    if (delivery.message.offset < 4) queue.keep(delivery, owner ?? null)
    else owner?.refuse(positionOf(delivery), second)
  }
  expect(queue.unreadAt(second)).toBe(4)
})
