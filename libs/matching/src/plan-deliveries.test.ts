import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { deliveryId, endpointId } from '@surehook/contracts/ids'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import { planDeliveries } from './plan-deliveries.ts'
import { type Subscription, toSubscription } from './subscription.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const now = Date.parse('2026-01-01T12:00:05.000Z')
const options = { maxBodyBytes: 10_000, now }
const subscription = (id: string, select: string[] | null = null): Subscription =>
  toSubscription(aSubscription({ id, select, url: `https://${id}.example/` }), null)

describe('planDeliveries', () => {
  test('makes jobs for a first attempt that is due at once', () => {
    const event = aChange({ traceparent: '00-trace-span-01' })
    const [planned] = planDeliveries(event, [subscription('s1')], options)
    const id = deliveryId(event.id, 's1')
    expect(planned).toEqual({
      endpoint: endpointId({
        projectId: 'shop',
        environment: 'master',
        url: 'https://s1.example/',
      }),
      tooLarge: null,
      job: {
        deliveryId: id,
        webhookId: id,
        eventId: event.id,
        subscriptionId: 's1',
        projectId: 'shop',
        environment: 'master',
        table: 'orders',
        operation: 'UPDATE',
        url: 'https://s1.example/',
        body: expect.any(Buffer),
        createdAt: Date.parse(event.timestamp),
        attempt: 1,
        step: 0,
        dueAt: 0,
        arrival: -1,
        redeliveryOf: null,
        traceparent: '00-trace-span-01',
        notBefore: 0,
        waitMs: 0,
        recordId: 'r1',
      },
    })
  })

  test('makes the same delivery again later', () => {
    const plan = (at: number) => [
      ...planDeliveries(aChange(), [subscription('s1')], { ...options, now: at }),
    ]
    expect(plan(now + 3_600_000)).toEqual(plan(now))
  })

  test.each(['1999-01-01T00:00:00Z', '2030-01-01T00:00:00Z'])(
    'is filed under the clock when the change says %s',
    (timestamp) => {
      const [planned] = planDeliveries(aChange({ timestamp }), [subscription('s1')], options)
      expect(planned?.job.createdAt).toBe(now)
    },
  )

  test('makes a body once for each set of selected fields', () => {
    const all = [
      subscription('s1'),
      subscription('s2', ['a', 'b']),
      subscription('s3', ['b', 'a']),
      subscription('s4', ['a']),
      subscription('s5'),
    ]
    const jobs = [...planDeliveries(aChange(), all, options)].map(({ job }) => job)
    expect(jobs.map(({ subscriptionId }) => subscriptionId)).toEqual(['s1', 's5', 's2', 's3', 's4'])
    expect(jobs[0]?.body).toBe(jobs[1]?.body)
    expect(jobs[2]?.body).toBe(jobs[3]?.body)
    expect(new Set(jobs.map(({ body }) => body)).size).toBe(3)
  })

  test('keeps no body after its deliveries are made', async () => {
    const event = aChange({ record: JSON.stringify({ id: 'r1', text: 'x'.repeat(20_000) }) })
    const all = Array.from({ length: 30 }, (_, n) => subscription(`s${n}`, ['text', `f${n}`]))
    const bodies: WeakRef<Buffer>[] = []
    const alive = async () => {
      await new Promise(setImmediate)
      collectGarbage()
      return bodies.filter((body) => body.deref() !== undefined).length
    }
    const plan = planDeliveries(event, [...all, subscription('last')], {
      maxBodyBytes: 100_000,
      now,
    })
    for (let n = 0; n < all.length; n++) {
      const body = plan.next().value?.job.body
      if (body !== undefined) bodies.push(new WeakRef(body))
    }
    expect(bodies).toHaveLength(all.length)
    expect(await alive()).toBeLessThanOrEqual(2)
    expect(plan.next().done).toBe(false)
  })

  test('makes a dead letter of a body that is too large', () => {
    const event = aChange({ record: JSON.stringify({ id: 'r1', text: 'x'.repeat(5_000) }) })
    const plan = [
      ...planDeliveries(event, [subscription('s1'), subscription('s2', ['id'])], options),
    ]
    expect(plan[0]?.job).toMatchObject({ step: 1, attempt: 1, body: Buffer.alloc(0) })
    expect(plan[0]?.tooLarge).toMatchObject({
      deliveryId: deliveryId(event.id, 's1'),
      status: 'dead_letter',
      errorClass: 'too_large',
      attempts: 0,
      attempted: false,
      step: 1,
    })
    expect(plan[0]?.tooLarge?.errorMessage).toMatch(/^The body has 10\d\d\d bytes; at most 10000/)
    expect(plan[1]?.tooLarge).toBeNull()
  })

  test('counts bytes and allows the limit itself', () => {
    const event = aChange({ record: '{"t":"é"}' })
    const size = [...planDeliveries(event, [subscription('s1')], options)][0]?.job.body.length ?? 0
    const fits = (maxBodyBytes: number) =>
      [...planDeliveries(event, [subscription('s1')], { maxBodyBytes, now })][0]?.tooLarge === null
    expect([fits(size), fits(size - 1)]).toEqual([true, false])
  })
})
