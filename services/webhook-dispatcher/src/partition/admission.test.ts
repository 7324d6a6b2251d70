import { describe, expect, it } from '@jest/globals'
import type { CancellableStatus } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic, retryTopic } from '@surehook/contracts/topics'
import { pausedHeaders } from '../paused/paused-headers.ts'
import { isCancelled } from './admission.ts'
import type { Delivery } from './delivery.ts'

/** Its record was written at 10. */
const record = (topic: string, attempt: number, published = true) =>
  ({
    job: { createdAt: 1, attempt },
    message: { topic, timestamp: '10', headers: pausedHeaders({ run: 0, published }) },
  }) as unknown as Delivery
const paused = record(pausedTopic, 1)
const waiting = record(pausedTopic, 1, false)
const waitingForRetry = record(pausedTopic, 2, false)
const retrying = record(retryTopic('1s'), 2)
const pending = record(deliveriesTopic, 1)

const never = Number.POSITIVE_INFINITY

describe('isCancelled', () => {
  it.each<[string, Delivery, CancellableStatus, number, number | undefined, boolean]>([
    ['paused when asked', paused, 'paused', 10, never, true],
    ['paused later', paused, 'paused', 9, never, false],
    ['paused, not retrying', paused, 'retrying', 20, never, false],
    ['retrying when asked', retrying, 'retrying', 10, never, true],
    ['retrying later', retrying, 'retrying', 9, never, false],
    ['pending', pending, 'paused', 20, 5, false],
    ['waiting, and blocked before', waiting, 'paused', 20, 20, true],
    ['waiting, and blocked later', waiting, 'paused', 20, 21, false],
    ['waiting since later than blocked', waiting, 'paused', 9, 5, false],
    ['waiting, and not blocked', waiting, 'paused', 20, never, false],
    ['waiting, and blocked since an unknown time', waiting, 'paused', 20, undefined, false],
    ['waiting for a retry, and blocked later', waitingForRetry, 'retrying', 20, 21, true],
    ['waiting for a retry, and blocked before', waitingForRetry, 'retrying', 20, 20, false],
    ['waiting for a retry, in doubt', waitingForRetry, 'retrying', 20, undefined, false],
  ])('%s', (_name, ...[delivery, status, askedAt, since, expected]) => {
    const cancellations = [{ status, askedAt, until: askedAt }]
    expect(isCancelled({ cancellations }, delivery, () => since)).toBe(expected)
  })

  it('leaves what was made after `until`', () => {
    const cancellations = [{ status: 'paused' as const, askedAt: 20, until: 0 }]
    expect(isCancelled({ cancellations }, paused, () => never)).toBe(false)
  })
})
