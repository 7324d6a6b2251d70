import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { admin, type Records } from '@surehook/scripts/client/call'
import type { ComponentName } from '@surehook/scripts/local-stack/component'
import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import { until } from '@surehook/testing/until'
import { allReady as allReadyIn } from '../support/all-ready.ts'
import { type FaultWorld, openFaultWorld } from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await openFaultWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

function part(name: ComponentName) {
  const process = world.system.stack.processes[name]
  if (process === undefined) throw new Error(`${name} does not run`)
  return process
}

const allReady = () => allReadyIn(world.system)

describe('while a dependency restarts during 1,000 changes', () => {
  it.each<[ComponentName, NodeJS.Signals]>([
    ['postgres', 'SIGINT'],
    ['postgres', 'SIGKILL'],
    ['redis', 'SIGKILL'],
    ['registry', 'SIGKILL'],
    ['kafka', 'SIGTERM'],
  ])('%s (%s): no change is lost or repeated', async (name, signal) => {
    const load = { cause: `${signal} of ${name}`, changes: 1_000 }
    await world.duringLoad({ ...load, endsNoMembership: name !== 'kafka' }, async () => {
      await part(name).kill(signal)
      await part(name).restart()
    })
    await allReady()
  })

  it('Redis, which stays away: no delivery is lost or repeated, and no invalid token is accepted', async () => {
    try {
      const load = { cause: 'Redis away', changes: 1_000, endsNoMembership: true }
      await world.duringLoad(load, () => part('redis').kill('SIGKILL'))
      const tenant = await world.tenant()
      const stranger = { authorization: `Bearer mt_${'x'.repeat(43)}` }
      const answers = [
        await tenant.rest('GET _tables', undefined, stranger),
        await tenant.webhooks('GET', undefined, stranger),
      ]
      expect(answers.map(({ body }) => body.error)).toEqual(
        answers.map(() => 'MANAGEMENT_TOKEN_INVALID'),
      )
    } finally {
      // A failure here must not fail every later test.
      await part('redis').restart()
      await allReady()
    }
    const load = { cause: 'Redis back, and empty', changes: 300, endsNoMembership: true }
    await world.duringLoad(load, async () => {})
  })
})

describe('while PostgreSQL is away', () => {
  it('writes get 503 with Retry-After, and change nothing', async () => {
    const { receiver } = world
    const tenant = await world.tenant()
    await tenant.putTable('orders')
    const { id } = await tenant.subscribe(receiver.url('/postgres-away'))
    const record = await tenant.insert({ status: 'before' })
    await receiver.waitFor('/postgres-away', 1)
    const project = `/${tenant.projectId}/environments`

    await part('postgres').kill('SIGKILL')
    const refused = await Promise.all([
      tenant.rest('POST orders', { status: 'lost' }),
      tenant.rest(`PATCH orders/${record.id}`, { status: 'lost' }),
      tenant.rest(`DELETE orders/${record.id}`),
      tenant.rest('PUT _tables/others', { columns: [{ name: 'a', type: 'text' }] }),
      tenant.webhooks('POST', tenant.subscriptionInput(receiver.url('/never'))),
      tenant.webhooks(`DELETE /${id}`),
      admin(world.system, `PUT ${project}/other`, {}),
    ])
    for (const answer of refused) {
      expect(answer.status).toBe(503)
      expect(answer.body.error).toBe('SERVICE_UNAVAILABLE')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await part('postgres').restart()
    await allReady()

    expect((await tenant.rest<Records>('GET orders')).body.records).toEqual([record])
    expect((await tenant.rest('GET others')).status).toBe(404)
    expect((await tenant.subscriptions()).webhooks).toHaveLength(1)
    expect((await admin(world.system, `GET ${project}/other`)).status).toBe(404)
    const after = await tenant.insert({ status: 'after' })
    await receiver.waitFor('/postgres-away', 2)
    const heard = receiver.receipts('/postgres-away').map(({ body }) => JSON.parse(body).record)
    expect(heard).toEqual([record, after])
    expect(receiver.receipts('/never')).toEqual([])
  })
})

const withDatabase = ['auth-service', 'data-api', 'postgres-source', 'webhook-api'] as const
const needs: Readonly<Record<ComponentName, readonly ServiceName[]>> = {
  kafka: [...withDatabase, 'webhook-matcher', 'webhook-dispatcher'],
  registry: [...withDatabase, 'webhook-matcher', 'webhook-dispatcher'],
  postgres: withDatabase,
  redis: ['auth-service', 'webhook-dispatcher'],
}

describe('services that start while a dependency is away', () => {
  it.each(Object.keys(needs) as ComponentName[])('wait for %s', async (name) => {
    const services = needs[name].flatMap((service) => world.system.services[service])
    await part(name).stop()
    const started = services.map(async (service) => {
      const logged = (await readFile(service.logFile, 'utf8')).length
      return { service, logged, ready: service.restart() }
    })
    for (const { service, logged } of await Promise.all(started)) {
      await until(
        async () =>
          (await readFile(service.logFile, 'utf8')).slice(logged).includes('dependency.waiting') &&
          // The previous process may have logged this too, when it lost the component.
          (await statusOf(`${service.internalUrl}/readyz`)) === 503,
        { what: `${service.program} to say what it waits for, not ready` },
      )
    }
    await part(name).restart()
    await Promise.all((await Promise.all(started)).map(({ ready }) => ready))
    const tenant = await world.tenant()
    await tenant.putTable('orders')
    await tenant.subscribe(world.receiver.url(`/after-${name}`))
    await tenant.insert()
    await world.receiver.waitFor(`/after-${name}`, 1)
  })
})

/** Resolves to 0 if there is no answer. */
const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )
