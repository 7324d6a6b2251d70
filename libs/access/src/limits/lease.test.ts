import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Bucket, decideTake, LocalBuckets } from './bucket.ts'
import { Lease, leaseMs } from './lease.ts'

const bucket = (over: Partial<Bucket> = {}): Bucket => ({
  name: 'project',
  key: 'p',
  perSecond: 10,
  burst: 100,
  ...over,
})

describe('a take', () => {
  const take = { buckets: [bucket()], returned: 0, cost: 1, wanted: 1_000 }

  it('gets an eighth of the content, and at least its cost', () => {
    expect(decideTake(take, [100])).toEqual({ granted: 12, levels: [88], waitsMs: [0] })
    expect(decideTake({ ...take, cost: 50 }, [100]).granted).toBe(50)
    expect(decideTake({ ...take, wanted: 3 }, [100]).granted).toBe(3)
  })

  it('is refused by any bucket that cannot pay it, and then takes from none', () => {
    const buckets = [bucket(), bucket({ key: 't', perSecond: 2 })]
    const taken = decideTake({ ...take, buckets, cost: 3, returned: 1 }, [60, 1])
    expect(taken).toEqual({ granted: 0, levels: [61, 2], waitsMs: [0, 500] })
  })

  it('never fills a bucket above its burst with returned points', () => {
    expect(decideTake({ ...take, returned: 50 }, [90]).levels).toEqual([88])
  })

  it('that costs more than the burst leaves a full bucket in debt', () => {
    const buckets = [bucket({ burst: 5 })]
    expect(decideTake({ ...take, buckets, cost: 50 }, [5])).toMatchObject({
      granted: 50,
      levels: [-45],
    })
    expect(decideTake({ ...take, buckets, cost: 50 }, [4]).waitsMs).toEqual([100])
  })
})

describe('a lease', () => {
  it('grows until it lasts its time, and shrinks to what was spent', () => {
    const local = new LocalBuckets(() => now)
    const buckets = [bucket({ perSecond: 1_000, burst: 10_000 })]
    const lease = new Lease()
    let now = 0
    let takes = 0
    for (let request = 0; request < 5_000; request++) {
      now += 2
      if (lease.spend(1, now)) continue
      takes++
      lease.renewed(local.take(lease.renewal(buckets, { cost: 1, waiting: 1, now })), now)
      expect(lease.spend(1, now)).toBe(true)
    }
    // 5,000 requests in 10 s.
    expect(takes).toBeLessThan(25)
  })

  it('ends after its time, and gives the rest back', () => {
    const lease = new Lease()
    lease.renewed({ granted: 5, levels: [95], waitsMs: [0] }, 0)
    expect([lease.spend(1, leaseMs - 1), lease.spend(1, leaseMs)]).toEqual([true, false])
    const asked = lease.renewal([bucket()], { cost: 1, waiting: 1, now: leaseMs })
    expect(asked).toMatchObject({ returned: 4, cost: 1, wanted: 1 })
  })

  it('refuses until the bucket can pay, and says when', () => {
    const lease = new Lease()
    const buckets = [bucket({ perSecond: 0.4, burst: 1 })]
    lease.renewal(buckets, { cost: 1, waiting: 1, now: 0 })
    lease.renewed({ granted: 0, levels: [0], waitsMs: [2_500] }, 0)
    expect([lease.isRefused(1, 99), lease.isRefused(1, 100)]).toEqual([true, false])
    expect(lease.retryAfterS(0)).toBe(3)
    expect(lease.headers).toEqual({
      policy: '"project";q=1;w=3',
      standing: '"project";r=0;t=3',
    })
  })
})

it('a refused request refuses only requests that cost at least as much', () => {
  const lease = new Lease()
  const buckets = [bucket({ burst: 100 })]
  lease.renewal(buckets, { cost: 49, waiting: 49, now: 0 })
  lease.renewed({ granted: 0, levels: [30], waitsMs: [1_900] }, 0)
  expect([lease.isRefused(49, 1), lease.isRefused(50, 1), lease.isRefused(1, 1)]).toEqual([
    true,
    true,
    false,
  ])
})

type Step = { replica: number; afterMs: number; cost: number }

const mostCost = 50

const steps = fc.array(
  fc.record({
    replica: fc.nat(2),
    afterMs: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(1_500), fc.nat(60_000)),
    cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: mostCost })),
  }),
  { minLength: 50, maxLength: 400 },
)

/** The times and costs of what three replicas admit with one bucket. */
function admittedBy(all: readonly Step[], of: Bucket) {
  let now = 0
  const local = new LocalBuckets(() => now)
  const leases = [new Lease(), new Lease(), new Lease()]
  const admitted: { at: number; cost: number }[] = []
  for (const { replica, afterMs, cost } of all) {
    now += afterMs
    const lease = leases[replica] ?? new Lease()
    if (!lease.spend(cost, now)) {
      if (lease.isRefused(cost, now)) continue
      const asked = lease.renewal([of], { cost, waiting: cost, now })
      lease.renewed(local.take(asked), now)
      if (!lease.spend(cost, now)) continue
    }
    admitted.push({ at: now, cost })
  }
  return admitted
}

it('three replicas admit no more than the limit and one second of it, in any time', () => {
  const limits = fc.record({
    perSecond: fc.integer({ min: 1, max: 50 }),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(steps, limits, (all, { perSecond, burst }) => {
      const admitted = admittedBy(all, bucket({ perSecond, burst }))
      const excesses = admitted.flatMap(({ at: from }, first) => {
        let sum = 0
        return admitted.slice(first).map(({ at, cost }) => {
          sum += cost
          // A request that costs more than the burst leaves a debt.
          return sum - Math.max(burst, mostCost) - (perSecond * (at - from + leaseMs)) / 1_000
        })
      })
      expect(Math.max(0, ...excesses)).toBeLessThan(1e-6)
    }),
    { numRuns: 100 },
  )
})

it('a bucket that is full again takes no memory', () => {
  let now = 10_000
  const local = new LocalBuckets(() => now)
  const take = { buckets: [bucket()], returned: 0, cost: 1, wanted: 1 }
  local.take(take)
  now += 20_000
  local.take({ ...take, buckets: [bucket({ key: 'q' })] })
  expect(local.size).toBe(1)
})
