import { describe, expect, it } from '@jest/globals'
import { aJob, aTransition, someTime } from '../../../test/support/delivery-samples.ts'
import { jobFault, transitionFault } from './delivery-faults.ts'

describe('jobFault', () => {
  it('accepts what the matcher writes', () => expect(jobFault(aJob(), someTime)).toBeNull())

  it.each([
    [{ deliveryId: 'x' }, 'deliveryId'],
    [{ subscriptionId: '' }, 'subscriptionId'],
    [{ webhookId: 'y' }, 'webhookId'],
    [{ createdAt: 0 }, 'createdAt'],
    [{ createdAt: someTime + 8 * 86_400_000 }, 'createdAt'],
    [{ createdAt: Number.NaN }, 'createdAt'],
  ])('names the fault of %j', (change, field) => {
    expect(jobFault(aJob(change), someTime)).toMatch(new RegExp(`^${field}:`))
  })
})

describe('transitionFault', () => {
  it('accepts what the dispatcher writes', () =>
    expect(transitionFault(aTransition(), someTime)).toBeNull())

  it.each([
    [{ deliveryId: 'x' }, 'deliveryId'],
    [{ createdAt: 0 }, 'createdAt'],
    [{ status: 'lost' as 'pending' }, 'status'],
    [{ step: -1 }, 'step'],
    [{ at: Number.MAX_SAFE_INTEGER }, 'at'],
    [{ nextAttemptAt: -1 }, 'nextAttemptAt'],
  ])('names the fault of %j', (change, field) => {
    expect(transitionFault(aTransition(change), someTime)).toMatch(new RegExp(`^${field}`))
  })
})
