import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import { openWorld, type World } from './support/world.ts'

const rounds = 60

describe('a change after the answer', () => {
  let world: World
  let matchers: AsyncDisposable[]

  // Two matchers, so that neither can rely on what the other has seen.
  beforeAll(async () => {
    world = await openWorld()
    matchers = [await world.startMatcher(), await world.startMatcher()]
  })
  afterAll(async () => {
    for (const matcher of matchers) await matcher[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  test('to a subscription is matched against it, every time', async () => {
    const subscriptions: string[] = []
    for (let round = 0; round < rounds; round++) {
      const projectId = `created-${round}`
      subscriptions.push((await world.subscribe({ projectId })).id)
      await world.publish({ projectId, recordId: `r${round}` })
    }
    const jobs = await world.jobs(rounds)
    expect(new Set(jobs.map(({ subscriptionId }) => subscriptionId))).toEqual(
      new Set(subscriptions),
    )
  })

  test('to its end or pause is not matched, every time', async () => {
    for (let round = 0; round < rounds; round++) {
      const projectId = `ended-${round}`
      const { id } = await world.subscribe({ projectId })
      if (round % 2 === 0) await world.unsubscribe(id)
      else await world.subscribe({ id, projectId, active: false })
      await world.publish({ projectId, recordId: `r${round}` })
    }
    // A later change on every partition.
    await world.subscribe({ projectId: 'last' })
    const after = Array.from({ length: 40 }, (_, n) => ({ projectId: 'last', recordId: `l${n}` }))
    await world.publish(...after)
    const jobs = await world.jobs(rounds + after.length)
    expect(jobs.filter(({ projectId }) => projectId.startsWith('ended'))).toEqual([])
  })

  test('to its end is not matched when a relay repeats what came before', async () => {
    const at = (lsn: bigint) => formatWalPosition({ systemId: '7412', timeline: '1' }, lsn)
    const before = (await world.jobs(0)).length
    const deleted = await world.subscribe({ projectId: 'repeated' }, at(10n))
    await world.unsubscribe(deleted.id, at(20n))
    await world.subscribe(deleted, at(10n))
    const other = await world.subscribe({ projectId: 'repeated' })
    await world.publish({ projectId: 'repeated' })
    const jobs = await world.jobs(before + 1)
    expect(jobs.slice(before).map(({ subscriptionId }) => subscriptionId)).toEqual([other.id])
  })
})
