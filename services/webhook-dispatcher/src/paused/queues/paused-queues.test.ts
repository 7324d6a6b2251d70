import { expect, it } from '@jest/globals'
import type { Delivery } from '../../delivery/delivery.ts'
import { PausedQueues } from './paused-queues.ts'

const delivery = (subscriptionId: string, arrival: number, bytes: number) =>
  ({
    job: { subscriptionId, arrival, deliveryId: `${arrival}`, body: Buffer.alloc(bytes) },
    message: { offset: arrival, headers: {} },
  }) as unknown as Delivery

const of = (subscriptionId: string) => ({ subscriptionId, recordId: 'r' })
const mebibyte = 1024 * 1024
const anyMayLose = () => true

/** The bodies of `large` leave no room for another one of it, and hardly any for others. */
function filled() {
  const queues = new PausedQueues()
  const large = queues.of(of('large'), null)
  queues.keep(large, delivery('large', 0, 3 * mebibyte), null)
  return { queues, large }
}

it('lets a queue read while there is room for its bodies', () => {
  const { queues } = filled()
  expect(queues.mayRead(queues.of(of('small'), null), () => false)).toBe(true)
})

it('lets a queue without bodies read if another subscription may lose its own', () => {
  const { queues } = filled()
  queues.keep(queues.of(of('other'), null), delivery('other', 1, mebibyte), null)
  const small = queues.of(of('small'), null)
  expect(queues.mayRead(small, (id) => id === 'large')).toBe(true)
  expect(queues.mayRead(small, () => false)).toBe(false)
})

it('lets no queue with bodies drive out those of others', () => {
  const { queues } = filled()
  queues.keep(queues.of(of('other'), null), delivery('other', 1, mebibyte), null)
  const small = queues.of(of('small'), null)
  queues.keep(small, delivery('small', 2, 1), null)
  expect(queues.mayRead(small, anyMayLose)).toBe(false)
})

it('lets no group of records read while its own subscription has the most bodies', () => {
  const { queues, large } = filled()
  expect(queues.mayRead(large, anyMayLose)).toBe(false)
  expect(queues.mayRead(queues.of(of('large'), 7), anyMayLose)).toBe(false)
})

it('reads deliveries together from farther apart only while there are very many ranges', () => {
  const queues = new PausedQueues()
  const near = () => {
    // The ranges are counted with one of 64 batches.
    for (let batch = 0; batch < 64; batch++) queues.bound()
    return queues.near
  }
  const first = near()
  const queue = queues.of(of('a'), null)
  const scan = { id: 0, from: 0, position: 0 }
  for (let arrival = 0; arrival <= 50_001; arrival++) {
    const at = { arrival, offset: arrival * (first + 1) }
    queue.place(at, { part: 0, run: 0, scan, near: queues.near })
  }
  expect(near()).toBe(2 * first)
  expect(queues.entries).toBeLessThan(10)
  expect([near(), near()]).toEqual([first, first])
})
