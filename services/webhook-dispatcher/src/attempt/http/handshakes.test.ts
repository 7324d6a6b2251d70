import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { Handshakes } from './handshakes.ts'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(() => void jest.useRealTimers())

/** Begins as many handshakes as possible, up to `count`, and returns how to end each. */
async function begin(handshakes: Handshakes, tenant: string, count: number) {
  const ends: (() => void)[] = []
  for (let n = 0; n < count; n++) void handshakes.begin(tenant).then((end) => ends.push(end))
  await settled()
  return ends
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('begins a few at once, and leaves some to other tenants', async () => {
  const handshakes = new Handshakes()
  const many = await begin(handshakes, 'a', 20)
  expect(many).toHaveLength(8)
  expect(await begin(handshakes, 'b', 1)).toHaveLength(1)
  many[0]?.()
  await settled()
  expect(many).toHaveLength(9)
})

it('lets others begin while a receiver does not go on', async () => {
  const handshakes = new Handshakes()
  const many = await begin(handshakes, 'a', 20)
  jest.advanceTimersByTime(50)
  await settled()
  expect(many).toHaveLength(16)
})
