import { expect, it } from '@jest/globals'
import { StreamLimits, type StreamSlot } from './stream-limits.ts'

const freely = { take: async () => ({ [Symbol.dispose]: () => undefined }) }

function setUp(perReplica: number) {
  const refused: string[] = []
  const limits = new StreamLimits({
    ...{ perTenant: 5, perUser: 2, perReplica, shared: freely },
    onRefused: (by) => refused.push(by),
  })
  /** A stream that ends as soon as it must. */
  const open = async (
    projectId: string,
    environment = 'master',
    user: string | null = null,
  ): Promise<StreamSlot> => {
    const slot = await limits.take({ projectId, environment }, user)
    slot.crowdedOut.addEventListener('abort', () => slot[Symbol.dispose]())
    return slot
  }
  const openMany = async (count: number, ...of: Parameters<typeof open>) => {
    const slots: StreamSlot[] = []
    for (let n = 0; n < count; n++) slots.push(await open(...of))
    return slots
  }
  return { limits, open, openMany, refused }
}

const ended = (slots: readonly StreamSlot[]) => slots.map(({ crowdedOut }) => crowdedOut.aborted)

it('on a full replica, the newest stream of the largest project ends for a smaller one', async () => {
  const { limits, open, openMany, refused } = setUp(8)
  const large = [...(await openMany(3, 'large')), ...(await openMany(2, 'large', 'staging'))]
  const small = await openMany(3, 'small')
  await open('new')
  expect(ended(large)).toEqual([false, false, false, false, true])
  await open('new')
  expect(ended(large)).toEqual([false, false, false, true, true])
  await expect(open('new')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(ended(small)).toEqual([false, false, false])
  expect([limits.open, refused]).toEqual([8, ['replica']])
})

it('a project that has as many streams as any other is refused', async () => {
  const { open, openMany, refused } = setUp(4)
  const slots = [...(await openMany(2, 'one')), ...(await openMany(2, 'other'))]
  await expect(open('one')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(refused).toEqual(['replica'])
  expect(ended(slots)).toEqual([false, false, false, false])
})

it('an environment has a limit, also if the replica is not full', async () => {
  const { open, openMany, refused } = setUp(20)
  await openMany(5, 'one')
  await expect(open('one')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  await open('one', 'staging')
  expect(refused).toEqual(['tenant'])
})

it('a user has a limit, and users leave the streams of management tokens to them', async () => {
  const { open, openMany, refused } = setUp(20)
  const [first] = await openMany(2, 'one', 'master', 'ann')
  const again = () => open('one', 'master', 'ann')
  await expect(again()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  await openMany(2, 'one', 'master', 'bob')
  await open('one', 'master', 'eve')
  await expect(open('one', 'master', 'joe')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  await openMany(5, 'one')
  expect(refused).toEqual(['user', 'tenant'])
  first?.[Symbol.dispose]()
  await again()
})

it('streams that open at the same time each end one', async () => {
  const { limits, open, openMany } = setUp(4)
  const large = await openMany(4, 'large')
  await Promise.all([open('a'), open('b')])
  expect(ended(large)).toEqual([false, false, true, true])
  expect(limits.open).toBe(4)
})
