import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { EventPayload } from '@surehook/contracts/events/event-payload'
import { deliveryId, endpointId } from '@surehook/contracts/ids'
import { until } from '@surehook/testing/until'
import { openWorld, type World } from './support/world.ts'

describe('the matcher on real Kafka', () => {
  let world: World
  let matcher: Awaited<ReturnType<World['startMatcher']>>
  /** Every test has its own project. */
  let projectId: string
  let tests = 0

  beforeAll(async () => {
    world = await openWorld()
    matcher = await world.startMatcher()
  })
  afterAll(async () => {
    await matcher[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    projectId = `p${++tests}`
    world.written.jobs.length = 0
  })

  const bodies = async (count: number) =>
    (await world.jobs(count)).map(({ body }) => EventPayload.parse(JSON.parse(body.toString())))

  test('a change becomes one job for each subscription that matches', async () => {
    const first = await world.subscribe({ projectId, url: 'https://one.example/' })
    const second = await world.subscribe({ projectId, url: 'https://two.example/' })
    await world.subscribe({ projectId, table: 'items' })
    await world.subscribe({ projectId, environment: 'staging' })
    await world.subscribe({ projectId, events: ['UPDATE', 'DELETE'] })
    await world.subscribe({ projectId, active: false })
    const id = '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f'
    await world.publish({ id, projectId })
    await world.publish({ projectId, table: 'last' })
    const jobs = await world.jobs(2)
    expect(jobs.map((job) => job.subscriptionId).toSorted()).toEqual(
      [first.id, second.id].toSorted(),
    )
    expect(jobs.map((job) => job.deliveryId).toSorted()).toEqual(
      [deliveryId(id, first.id), deliveryId(id, second.id)].toSorted(),
    )
    expect(endpointId({ projectId, environment: 'master', url: first.url })).not.toBe(
      endpointId({ projectId, environment: 'master', url: second.url }),
    )
    expect(await bodies(2)).toMatchObject([
      { id, project_id: projectId, event: 'INSERT', changed_fields: [] },
      {},
    ])
  })

  test('a filter lets only its records through, select only its fields', async () => {
    await world.subscribe({
      projectId,
      filter: '{"status":"paid","amount":{"gt":9}}',
      select: ['amount', 'note', 'nope'],
    })
    await world.publish(
      { projectId, record: { status: 'open', amount: '10.50' } },
      { projectId, record: { status: 'paid', amount: '9.00' } },
      { projectId, record: '{"status":"paid", "amount":"10.50", "note":[1.10, "x"]}' },
    )
    const [body] = await bodies(1)
    expect(body?.record).toEqual({ amount: '10.50', note: [1.1, 'x'] })
    expect(body?.data).toEqual(body?.record)
    expect(world.written.jobs[0]?.body.toString()).toContain(
      '"record":{"amount":"10.50","note":[1.10, "x"]}',
    )
  })

  test('an update is matched by what changed, and says so', async () => {
    await world.subscribe({ projectId, filter: '{"changed":["status"]}' })
    await world.publish(
      { projectId, operation: 'UPDATE', changedFields: ['note'] },
      { projectId, operation: 'UPDATE', changedFields: ['note', 'status'] },
    )
    expect(await bodies(1)).toMatchObject([{ event: 'UPDATE', changed_fields: ['note', 'status'] }])
  })

  test('changes of one record keep their order', async () => {
    await world.subscribe({ projectId })
    const n = Array.from({ length: 200 }, (_, at) => at)
    await world.publish(...n.map((at) => ({ projectId, record: { at } })))
    expect((await bodies(200)).map(({ record }) => record['at'])).toEqual(n)
  })

  test('a message that is no change goes to changes.invalid with its reason, and the partition moves on', async () => {
    await world.subscribe({ projectId })
    const { producer, codec, config, written } = world
    const topic = config.topics.changes
    const event = {
      id: 'not a UUID',
      timestamp: '2026-01-01T00:00:00Z',
      ...{
        projectId,
        environment: 'master',
        table: 'orders',
        recordId: 'r1',
        operation: 'INSERT' as const,
      },
      ...{ record: '{}', changedFields: [], source: 'test', requestId: null, traceparent: null },
    }
    const unknownSchema = Buffer.concat([
      Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]),
      Buffer.from('x'),
    ])
    const values = [
      Buffer.from('garbage'),
      unknownSchema,
      null,
      codec.change.encode(event),
      codec.change.encode({
        ...event,
        id: '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f',
        record: '{"a":',
      }),
    ]
    await producer.send(values.map((value) => ({ topic, key: 'k', partition: 0, value })))
    await producer.send([
      {
        topic,
        key: 'k',
        partition: 0,
        value: codec.change.encode({ ...event, id: '0198c5e1-7a64-7cc3-98c4-dc0c0c073990' }),
      },
    ])
    expect(await bodies(1)).toMatchObject([{ id: '0198c5e1-7a64-7cc3-98c4-dc0c0c073990' }])
    await until(() => written.invalid.length === 5, { what: 'five refused' })
    expect(written.invalid.map(({ reason }) => reason)).toEqual([
      'Not in the Confluent wire format',
      expect.stringContaining('2147483647'),
      'No value',
      'id: not a UUID',
      'record: not the text of a JSON object',
    ])
    expect(written.invalid[0]).toMatchObject({ topic, partition: 0, refusedBy: config.groupId })
    expect(written.invalid[0]?.value?.toString()).toBe('garbage')
  })

  test('an invalid subscription is refused, and the view moves on', async () => {
    const { producer, codec, config, written } = world
    written.invalid.length = 0
    const topic = config.topics.subscriptions
    const good = await world.subscribe({ projectId, url: 'https://good.example/' })
    await producer.send([{ topic, key: good.id, value: Buffer.from('garbage') }])
    const broken = await world.subscribe({ projectId, filter: '{"a":{"gtx":1}}' })
    const after = await world.subscribe({ projectId })
    await world.publish({ projectId })
    const jobs = await world.jobs(2)
    expect(jobs.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
      [good.id, after.id].toSorted(),
    )
    await until(() => written.invalid.length === 2, { what: 'two refused' })
    expect(written.invalid.map(({ key, reason }) => [String(key), reason])).toEqual([
      [good.id, 'Not in the Confluent wire format'],
      [broken.id, 'filter: a.gtx: unknown operator'],
    ])
    const metrics = await (await fetch(`${matcher.internal}/metrics`)).text()
    expect(metrics).toMatch(
      /surehook_matcher_invalid_messages_total\{topic="webhook\.subscriptions",.*\} 2/,
    )
    expect(codec.subscription).toBeDefined()
  })

  test('a body that is too large is a dead letter at once', async () => {
    const { written } = world
    const large = await world.subscribe({ projectId })
    const small = await world.subscribe({ projectId, select: ['id'] })
    await world.publish({ projectId, record: { id: 'r1', text: 'x'.repeat(60_000) } })
    const [job] = await world.jobs(1)
    expect(job?.subscriptionId).toBe(small.id)
    await until(() => written.attempts.length > 0, { what: 'the log entry' })
    await until(() => written.deadLetters.length > 0, { what: 'the dead letter' })
    expect(written.deadLetters).toMatchObject([{ subscriptionId: large.id, step: 1 }])
    expect(written.attempts).toMatchObject([
      {
        subscriptionId: large.id,
        status: 'dead_letter',
        errorClass: 'too_large',
        attempts: 0,
        attempted: false,
        step: 1,
      },
    ])
  })

  test('a job that its topic does not take is a dead letter at once, and the others continue', async () => {
    const { written } = world
    await world.limitDeliveries(2_000)
    const large = await world.subscribe({ projectId, url: 'https://large.example/' })
    const small = await world.subscribe({ projectId, select: ['id'] })
    const [before, attemptsBefore] = [written.deadLetters.length, written.attempts.length]
    await world.publish(
      { projectId, record: { id: 'r1', text: 'x'.repeat(3_000) } },
      { projectId, record: { id: 'r2' } },
    )
    const isDone = () => {
      const ids = written.jobs.map(({ subscriptionId }) => subscriptionId)
      const ofSmall = new Set(
        written.jobs.flatMap((job) => (job.subscriptionId === small.id ? [job.deliveryId] : [])),
      )
      return (
        ofSmall.size === 2 && ids.includes(large.id) && written.attempts.length > attemptsBefore
      )
    }
    await until(isDone, { what: 'the other deliveries' })
    await until(() => written.deadLetters.length > before, { what: 'the dead letter' })
    const [dead, ...more] = written.deadLetters.slice(before)
    expect(dead).toMatchObject({ subscriptionId: large.id, step: 1, body: Buffer.alloc(0) })
    expect(more).toEqual([])
    expect(written.attempts.slice(attemptsBefore)).toMatchObject([
      { deliveryId: dead?.deliveryId, status: 'dead_letter', errorClass: 'too_large', attempts: 0 },
    ])
    await world.limitDeliveries(2_097_152)
  })
})
