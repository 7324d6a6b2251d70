import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import { freePort } from '@surehook/scripts/lib/ports'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { waitForReadiness } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { publishTable } from './support/tables.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

// These tests stop parts of the stack, so they use their own.
let stack: Stack & AsyncDisposable
let world: World
let service: Running
let tenant: Tenant
let client: WebhooksClient

beforeAll(async () => {
  stack = await openOwnStack({ only: ['kafka', 'registry', 'postgres'] })
  world = await openWorld(stack)
  service = await world.startService()
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  // For an unknown table the service would ask Kafka before every write.
  await publishTable(world, tenant, { name: 'orders', columns: {} })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

const error = ({ status, body }: { status: number; body: { error?: string } }) => [
  status,
  body.error,
]
const unavailable = [503, 'SERVICE_UNAVAILABLE']

/** Reads from the database directly rather than through the service. */
async function committed(): Promise<number> {
  return (await client.list()).body.webhooks.length
}

describe('without Kafka', () => {
  it('refuses changes completely, and recovers by itself', async () => {
    const { body: kept } = await client.call('POST', validInput(tenant))
    await stack.processes.kafka?.kill()
    await waitForReadiness(service.internal, 503)
    const refused = await client.call('POST', validInput(tenant))
    expect(error(refused)).toEqual(unavailable)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(error(await client.call(`PATCH /${kept.id}`, { active: false }))).toEqual(unavailable)
    expect(error(await client.call(`DELETE /${kept.id}`))).toEqual(unavailable)

    await stack.processes.kafka?.restart()
    await waitForReadiness(service.internal, 200)
    expect((await client.list()).body.webhooks).toEqual([kept])
    expect((await client.call(`PATCH /${kept.id}`, { active: false })).status).toBe(200)
    const states = await world.subscriptionStates()
    expect([...states].map(([id, { active }]) => [id, active])).toEqual([[kept.id, false]])
  })

  it('reports that it cannot show the body of a delivery, and shows it afterwards', async () => {
    const { body: kept } = await client.call('POST', validInput(tenant))
    const { projectId, environment } = tenant
    const own = { deliveryId: randomUUID(), subscriptionId: kept.id, projectId, environment }
    const job = aJob({ ...own, createdAt: Date.now() })
    const value = world.codec.job.encode(job)
    await world.producer.send([{ topic: deliveriesTopic, key: 'x', value }])
    const path = `/${kept.id}/deliveries`
    const isRead = async () => (await client.call(`GET ${path}`)).text.includes(job.deliveryId)
    await until(isRead, { what: 'the job in the history', timeoutMs: 20_000 })
    const shown = async () => {
      const { status, text } = await client.call(`GET ${path}/${job.deliveryId}`)
      return [status, (JSON.parse(text) as { body?: string }).body]
    }
    expect(await shown()).toEqual([200, job.body.toString()])

    await stack.processes.kafka?.kill()
    expect(error(await client.call(`GET ${path}/${job.deliveryId}`))).toEqual(unavailable)
    expect(
      (await client.call<ReplyOf<typeof listDeliveries>>(`GET ${path}`)).body.deliveries,
    ).toHaveLength(1)
    await stack.processes.kafka?.restart()
    await waitForReadiness(service.internal, 200)
    expect(await shown()).toEqual([200, job.body.toString()])
  })

  it('answers a change only when the topic has it', async () => {
    const before = await committed()
    await stack.processes.kafka?.kill('SIGSTOP')
    const input = validInput(tenant)
    const create = () => client.call('POST', input, { 'idempotency-key': 'in the middle' })
    const change = create()
    const isCommitted = until(async () => (await committed()) === before + 1, {
      what: 'the commit',
    })
    const first = await Promise.race([
      change.then(() => 'answered'),
      isCommitted.then(() => 'committed'),
    ])
    expect(first).toBe('committed')
    // A repeated request does not get its answer either before the topic has the state.
    let resumed = false
    const repeated = create().then((answer) => ({ ...answer, early: !resumed }))
    await committed()
    await committed()
    resumed = true
    await stack.processes.kafka?.kill('SIGCONT')
    const { status, body } = await change
    expect(status).toBe(201)
    expect(await repeated).toMatchObject({ status: 201, early: false, body: { id: body.id } })
    expect(await committed()).toBe(before + 1)
    expect((await world.subscriptionStates()).has(body.id)).toBe(true)
  })

  it('answers 404 for a deleted subscription only when the topic has it', async () => {
    const { body: doomed } = await client.call('POST', validInput(tenant))
    const before = await committed()
    await stack.processes.kafka?.kill('SIGSTOP')
    let resumed = false
    const remove = () =>
      client.call(`DELETE /${doomed.id}`).then(({ status }) => ({ status, early: !resumed }))
    const first = remove()
    await until(async () => (await committed()) === before - 1, { what: 'the commit' })
    const repeated = remove()
    await committed()
    await committed()
    resumed = true
    await stack.processes.kafka?.kill('SIGCONT')
    expect(await first).toEqual({ status: 204, early: false })
    expect(await repeated).toEqual({ status: 404, early: false })
    expect((await world.subscriptionStates()).has(doomed.id)).toBe(false)
  })

  it('waits at start, not ready, until Kafka is reachable', async () => {
    await stack.processes.kafka?.kill()
    const port = await freePort()
    const internal = `http://127.0.0.1:${port}`
    const starting = world.startService({ internal: { host: '127.0.0.1', port } })
    await waitForReadiness(internal, 503)
    await stack.processes.kafka?.restart()
    await using started = await starting
    await waitForReadiness(internal, 200)
    expect(started.internal).toBe(internal)
  })
})

describe('without PostgreSQL', () => {
  it('answers 503, loses nothing of the log, and recovers by itself', async () => {
    await waitForReadiness(service.internal, 200)
    const { body: kept } = await client.call('POST', validInput(tenant))
    await stack.processes.postgres?.kill()
    for (const answer of [
      await client.call('GET'),
      await client.call(`GET /${kept.id}`),
      await client.call('POST', validInput(tenant)),
      await client.call(`PATCH /${kept.id}`, { active: false }),
      await client.call(`DELETE /${kept.id}`),
    ]) {
      expect(error(answer)).toEqual(unavailable)
    }
    const own = { deliveryId: randomUUID(), subscriptionId: kept.id, createdAt: Date.now() }
    const { codec, producer } = world
    await producer.send([
      { topic: deliveriesTopic, key: 'x', value: codec.job.encode(aJob(own)) },
      { topic: attemptsTopic, key: own.deliveryId, value: codec.attempt.encode(anAttempt(own)) },
    ])
    await waitForReadiness(service.internal, 503)

    await stack.processes.postgres?.restart()
    await waitForReadiness(service.internal, 200)
    const shown = async () => (await client.get(kept.id)).body.deliveries[0]
    await until(async () => (await shown())?.status === 'delivered', {
      what: 'the delivery in the log',
    })
    expect((await shown())?.id).toBe(own.deliveryId)
    expect((await client.call(`PATCH /${kept.id}`, { active: false })).status).toBe(200)
    expect((await world.subscriptionStates()).get(kept.id)?.active).toBe(false)
  })
})
