import { describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import fc from 'fast-check'
import { foldDeliveries } from './fold-deliveries.ts'

const failed = anAttempt({ step: 1, status: 'retrying', attempts: 1, httpStatus: 500, at: 100 })
const paused = anAttempt({ step: 2, status: 'paused', attempts: 1, attempted: false, at: 200 })
const delivered = anAttempt({
  step: 3,
  status: 'delivered',
  attempts: 2,
  httpStatus: 200,
  at: 300,
})

const foldTransitions = (transitions: readonly DeliveryAttempt[]) =>
  foldDeliveries({ jobs: [], transitions }).map(({ last, lastAttempt }) => ({ last, lastAttempt }))

describe('foldDeliveries', () => {
  it('takes the status of the newest step and the result of the newest attempt', () => {
    expect(foldTransitions([failed, paused])).toEqual([{ last: paused, lastAttempt: failed }])
    expect(foldTransitions([delivered, paused, failed])).toEqual([
      { last: delivered, lastAttempt: delivered },
    ])
    expect(foldTransitions([paused])).toEqual([{ last: paused, lastAttempt: null }])
  })

  it('keeps the error of a delivery that was given up without an attempt', () => {
    const tooLarge = anAttempt({
      status: 'dead_letter',
      attempted: false,
      errorClass: 'too_large',
    })
    expect(foldTransitions([tooLarge])).toEqual([{ last: tooLarge, lastAttempt: tooLarge }])
  })

  it('takes the later of two tries of one step', () => {
    const repeated = { ...failed, status: 'delivered', at: 150 } as const
    expect(foldTransitions([repeated, failed])[0]?.last).toBe(repeated)
    expect(foldTransitions([failed, repeated])[0]?.last).toBe(repeated)
  })

  it('answers one entry per delivery, ordered by id', () => {
    const ids = ['b', 'a', 'b', 'c', 'a']
    const folded = foldTransitions(ids.map((deliveryId) => anAttempt({ deliveryId })))
    expect(folded.map(({ last }) => last?.deliveryId)).toEqual(['a', 'b', 'c'])
  })

  it('combines a job and its transitions, with every attempt', () => {
    const job = aJob()
    const [delivery, ...others] = foldDeliveries({
      jobs: [job, aJob()],
      transitions: [failed, paused, delivered],
    })
    expect(others).toEqual([])
    expect(delivery).toMatchObject({ job, last: delivered, attempts: [failed, delivered] })
    expect(delivery?.job).toBe(job)
  })

  it('separates deliveries made on another day', () => {
    const tomorrow = aJob({ createdAt: aJob().createdAt + 86_400_000 })
    expect(foldDeliveries({ jobs: [tomorrow, aJob()], transitions: [] })).toHaveLength(2)
  })

  it('gives the same result in any order and with repetitions', () => {
    const transition = fc
      .record({ step: fc.integer({ min: 0, max: 4 }), attempted: fc.boolean() })
      .map(({ step, attempted }) =>
        anAttempt({ step, attempted, at: 100 * step + (attempted ? 1 : 0) }),
      )
    fc.assert(
      fc.property(
        fc.array(transition, { minLength: 1 }),
        fc.infiniteStream(fc.nat()),
        (transitions, random) => {
          const shuffled = shuffle([...transitions, ...transitions.slice(0, 3)], random)
          expect(foldTransitions(shuffled)).toEqual(foldTransitions(transitions))
        },
      ),
    )
  })
})

function shuffle(transitions: DeliveryAttempt[], random: Iterator<number>): DeliveryAttempt[] {
  return transitions
    .map((transition) => ({ transition, rank: Number(random.next().value) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ transition }) => transition)
}
