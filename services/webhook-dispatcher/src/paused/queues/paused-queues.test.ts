import { expect, it } from '@jest/globals'
import type { Delivery } from '../../delivery/delivery.ts'
import { PausedQueues } from './paused-queues.ts'

const delivery = (subscriptionId: string, arrival: number, bytes: number) =>
  ({
    job: { subscriptionId, arrival, deliveryId: `${arrival}`, body: Buffer.alloc(bytes) },
    message: { offset: arrival, headers: {} },
  }) as unknown as Delivery

const mebibyte = 1024 * 1024
const anyMayLose = () => true

/** The bodies of `large` leave no room for another one of it, and hardly any for others. */
function filled() {
  const queues = new PausedQueues()
  const large = queues.add('large', null)
  queues.keep(large, delivery('large', 0, 3 * mebibyte), null)
  return { queues, large }
}

it('lets a queue read while there is room for its bodies', () => {
  const { queues } = filled()
  expect(queues.mayRead(queues.add('small', null), () => false)).toBe(true)
})

it('lets a queue without bodies read if another subscription may lose its own', () => {
  const { queues } = filled()
  queues.keep(queues.add('other', null), delivery('other', 1, mebibyte), null)
  const small = queues.add('small', null)
  expect(queues.mayRead(small, (id) => id === 'large')).toBe(true)
  expect(queues.mayRead(small, () => false)).toBe(false)
})

it('lets no queue with bodies drive out those of others', () => {
  const { queues } = filled()
  queues.keep(queues.add('other', null), delivery('other', 1, mebibyte), null)
  const small = queues.add('small', null)
  queues.keep(small, delivery('small', 2, 1), null)
  expect(queues.mayRead(small, anyMayLose)).toBe(false)
})

it('lets no group of records read while its own subscription has the most bodies', () => {
  const { queues, large } = filled()
  expect(queues.mayRead(large, anyMayLose)).toBe(false)
  expect(queues.mayRead(queues.add('large', 7), anyMayLose)).toBe(false)
})
