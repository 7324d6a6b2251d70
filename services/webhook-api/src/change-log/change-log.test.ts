import { expect, it } from '@jest/globals'
import { ChangeLog } from './change-log.ts'

it('does not say that a change is absent while a partition has no leader', async () => {
  const led = [0, 1]
  const log = new ChangeLog({
    reader: {
      partitions: async () => [0, 1],
      offsetsAt: async () => new Map(),
      read: async ({ to }) => ({ messages: [], next: to }),
    },
    ownBounds: async () => led.map((partition) => ({ topic: 't', partition, start: 0, end: 9 })),
    codec: {} as never,
    now: Date.now,
  })
  const tenant = { projectId: 'shop', environment: 'live' }
  const search = { eventId: 'x', madeAt: 0, records: 100, bytes: 100, ms: 60_000 }
  expect(await log.find(tenant, search)).toBe('absent')
  led.pop()
  expect(await log.find(tenant, search)).toBe('unseen')
})
