import { expect, it } from '@jest/globals'
import type { TenantCall } from '../../tenants/tenant-call.ts'
import { createReplays } from './replays.ts'

it('refuses a replay while a partition has no leader: its changes would be left out', async () => {
  const replays = createReplays({
    reader: { partitions: async () => [0, 1], offsetsAt: async () => new Map() },
    ownBounds: async () => [{ topic: 'changes', partition: 1, start: 0, end: 5 }],
    ...{ pool: {} as never, writer: { write: async () => ({}) } as never },
    ...{ wake: () => undefined, now: Date.now },
  })
  const call = { tenant: { projectId: 'shop', environment: 'live' } } as TenantCall
  const asked = replays.start(call, 'id', { from: new Date(Date.now() - 60_000) })
  await expect(asked).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 })
})
