import { describe, expect, it } from '@jest/globals'
import type { CancellableStatus } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic, retryTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedHeaders } from '../../delivery/paused-headers.ts'
import type { Subscription } from '../../subscriptions/subscription.ts'
import { decideAdmission, isCancelled } from './admission.ts'

/** Its record was written at 10. */
const record = (topic: string, attempt: number, published = true) =>
  ({
    job: { createdAt: 1, attempt },
    message: { topic, timestamp: '10', headers: pausedHeaders({ run: 0, published, group: null }) },
  }) as unknown as Delivery
const paused = record(pausedTopic, 1)
const waiting = record(pausedTopic, 1, false)
const waitingForRetry = record(pausedTopic, 2, false)
const retrying = record(retryTopic('1s'), 2)
const pending = record(deliveriesTopic, 1)

const never = Number.POSITIVE_INFINITY

describe('isCancelled', () => {
  type CancellationCase = { status: CancellableStatus; at: number; since?: number | undefined }

  it.each<[string, Delivery, CancellationCase, boolean]>([
    ['paused when asked', paused, { status: 'paused', at: 10 }, true],
    ['paused later', paused, { status: 'paused', at: 9 }, false],
    ['paused, not retrying', paused, { status: 'retrying', at: 20 }, false],
    ['retrying when asked', retrying, { status: 'retrying', at: 10 }, true],
    ['retrying later', retrying, { status: 'retrying', at: 9 }, false],
    ['pending', pending, { status: 'paused', at: 20, since: 5 }, false],
    ['waiting, blocked before', waiting, { status: 'paused', at: 20, since: 20 }, true],
    ['waiting, blocked later', waiting, { status: 'paused', at: 20, since: 21 }, false],
    ['waiting later, blocked before', waiting, { status: 'paused', at: 9, since: 5 }, false],
    ['waiting, not blocked', waiting, { status: 'paused', at: 20, since: never }, false],
    ['waiting, in doubt', waiting, { status: 'paused', at: 20 }, false],
    ['retry, blocked later', waitingForRetry, { status: 'retrying', at: 20, since: 21 }, true],
    ['retry, blocked before', waitingForRetry, { status: 'retrying', at: 20, since: 20 }, false],
    ['retry, in doubt', waitingForRetry, { status: 'retrying', at: 20 }, false],
  ])('%s', (_name, delivery, { status, at, since }, expected) => {
    const cancellations = [{ status, askedAt: at, until: at }]
    expect(isCancelled({ cancellations }, delivery, () => since)).toBe(expected)
  })

  it('leaves what was made after `until`', () => {
    const cancellations = [{ status: 'paused' as const, askedAt: 20, until: 0 }]
    expect(isCancelled({ cancellations }, paused, () => never)).toBe(false)
  })
})

describe('decideAdmission for an endpoint of another partition', () => {
  const subscription = { url: 'u', endpointId: 'e', deliverable: true } as Subscription
  const decide = (mayHavePaused: boolean) =>
    decideAdmission(
      { url: 'u', notBefore: 0, waitMs: 0 },
      {
        ...{ subscription, viewIsCurrent: true, mayHavePaused, waitsForRecord: false, now: 1 },
        wasCancelled: () => false,
        isRerouted: (endpointId) => endpointId === 'e',
        endpoint: () => ({ circuitIsOpen: true, accepts: false }),
      },
    )

  it('moves the delivery, even if its circuit is open', () => {
    expect(decide(false)).toEqual({ kind: 'reroute', url: 'u' })
  })

  it('lets it wait for earlier ones, which move first', () => {
    expect(decide(true)).toEqual({ kind: 'pause', published: true })
  })
})
