import { expect, test } from '@jest/globals'
import { connectionRoom, createTenantSlots } from './tenant-slots.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('the environments of a project share its slots in turns, and leave those of others', async () => {
  const slots = createTenantSlots({ room: { each: 1 } })
  const started: string[] = []
  const slow = Promise.withResolvers<void>()
  const work = (projectId: string, environment: string) =>
    slots.run({ projectId, environment }, async () => {
      started.push(`${projectId}/${environment}`)
      await slow.promise
    })
  const all = ['master', 'master', 'master', 'staging'].map((name) => work('shop', name))
  all.push(work('other', 'master'))
  await settled()
  expect(started).toEqual(['shop/master', 'other/master'])
  slow.resolve()
  await Promise.all(all)
  expect(started.indexOf('shop/staging')).toBe(3)
})

test('work that waits too long gets SERVICE_UNAVAILABLE', async () => {
  const slots = createTenantSlots({ room: { each: 1 }, maxWaitMs: 1 })
  const tenant = { projectId: 'shop', environment: 'master' }
  const slow = Promise.withResolvers<void>()
  const running = slots.run(tenant, () => slow.promise)
  const refused = slots.run(tenant, () => 'never')
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 })
  slow.resolve()
  await running
})

test('the connections of a pool are shared, at least one for each owner', () => {
  const roomOf = (max: number, share: { all?: number; each: number }) =>
    connectionRoom({ options: { max } as never }, share).room
  expect(roomOf(8, { each: 1 / 4 })).toEqual({ all: 8, each: 2 })
  expect(roomOf(10, { all: 1 / 2, each: 1 / 4 })).toEqual({ all: 5, each: 2 })
  expect(roomOf(2, { each: 1 / 4 })).toEqual({ all: 2, each: 1 })
})

test('a freed connection goes to the project that holds fewest, not to the one that asked first', async () => {
  const slots = createTenantSlots(connectionRoom({ options: { max: 4 } as never }, { each: 1 / 2 }))
  const started: string[] = []
  const ends: (() => void)[] = []
  const work = (projectId: string) =>
    slots.run({ projectId, environment: 'master' }, async () => {
      started.push(projectId)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = ['a', 'a', 'b', 'b', 'a', 'a', 'b', 'c'].map(work)
  await settled()
  expect(started).toEqual(['a', 'a', 'b', 'b'])
  ends[0]?.()
  await settled()
  expect(started[4]).toBe('c')
  for (let next = 0; next < all.length; next++) {
    ends[next]?.()
    await settled()
  }
  await Promise.all(all)
  expect(started).toHaveLength(8)
})
