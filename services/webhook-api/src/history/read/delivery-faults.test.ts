import { describe, expect, it } from '@jest/globals'
import { aJob, anAttempt, sampleTime } from '@surehook/contracts/testing/samples'
import { jobFault, transitionFault } from './delivery-faults.ts'

describe('jobFault', () => {
  it('accepts what the matcher writes', () => expect(jobFault(aJob(), sampleTime)).toBeNull())

  it.each([
    [{ deliveryId: 'x' }, 'deliveryId'],
    [{ subscriptionId: '' }, 'subscriptionId'],
    [{ webhookId: 'y' }, 'webhookId'],
    [{ createdAt: 0 }, 'createdAt'],
    [{ createdAt: sampleTime + 8 * 86_400_000 }, 'createdAt'],
    [{ createdAt: Number.NaN }, 'createdAt'],
  ])('names the fault of %j', (change, field) => {
    expect(jobFault(aJob(change), sampleTime)).toMatch(new RegExp(`^${field}:`))
  })
})

describe('transitionFault', () => {
  it('accepts what the dispatcher writes', () =>
    expect(transitionFault(anAttempt(), sampleTime)).toBeNull())

  it.each([
    [{ deliveryId: 'x' }, 'deliveryId'],
    [{ createdAt: 0 }, 'createdAt'],
    [{ status: 'lost' as 'pending' }, 'status'],
    [{ step: -1 }, 'step'],
    [{ at: Number.MAX_SAFE_INTEGER }, 'at'],
    [{ nextAttemptAt: -1 }, 'nextAttemptAt'],
  ])('names the fault of %j', (change, field) => {
    expect(transitionFault(anAttempt(change), sampleTime)).toMatch(new RegExp(`^${field}`))
  })
})
