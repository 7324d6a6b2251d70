import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@surehook/contracts/http/admin/admin'
import type { UserLock } from '@surehook/contracts/http/admin/user-access'
import { environmentPurgesTopic } from '@surehook/contracts/topics'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { send } from '@surehook/scripts/client/call'
import type { NewToken } from '@surehook/scripts/client/tenant'
import { openClients } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import bcrypt from 'bcrypt'
import { newEmail } from './support/account-world.ts'
import { callAdmin, password } from './support/auth-client.ts'
import { holdInserts, waitingForLocks } from './support/held-rows.ts'
import { sql } from './support/sql.ts'
import { log, openWorld, type Running, sharedStack, type World } from './support/under-test.ts'

let world: World
let service: Running
let codec: EventCodec
let producer: EventProducer
let project: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  const clients = await openClients(sharedStack())
  codec = clients.codec
  producer = await openProducer(clients.kafka, { log })
})
afterAll(async () => {
  await producer?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  project = await newProject()
})

const call = <T = Environment>(request: string, body?: unknown) =>
  callAdmin<T>(service.api, request, body)
const master = (of = project) => `/${of}/environments/master`

async function newProject(): Promise<string> {
  const id = `p-${randomUUID()}`
  await call(`PUT ${master(id)}`, { auth: { emailVerification: false } })
  return id
}

/** Publishes that the other services have deleted their data of the environment. */
async function acknowledgeDeletion(projectId: string): Promise<void> {
  const { body } = await call(`GET ${master(projectId)}`)
  const deletedAt = body.deletedAt ?? ''
  const records = ['data-api', 'postgres-source', 'webhook-api'].map((holder) => ({
    topic: environmentPurgesTopic,
    key: `${projectId}/master/${holder}`,
    value: codec
      .ofTopic(environmentPurgesTopic)
      .encode({ projectId, environment: 'master', service: holder, deletedAt }),
  }))
  await producer.send(records)
}

const isGone = async (projectId: string) => (await call(`GET ${master(projectId)}`)).status === 404

async function deleteAndPurge(projectId: string): Promise<void> {
  await call(`DELETE ${master(projectId)}`)
  await acknowledgeDeletion(projectId)
  await until(() => isGone(projectId))
}

describe('a deletion', () => {
  it('is completed although an earlier one fails, which is completed once it can be', async () => {
    const failing = await newProject()
    await call(`DELETE /${failing}`)
    await sql(
      world,
      `insert into management_token (id, project_id, name, token_hash)
       values (gen_random_uuid(), $1, 'keeps the project', $1)`,
      [failing],
    )
    await acknowledgeDeletion(failing)
    await deleteAndPurge(project)
    expect(await isGone(failing)).toBe(false)
    await sql(world, 'delete from management_token where project_id = $1', [failing])
    await until(() => isGone(failing))
  })

  it.each([
    ['project', '', {}],
    ['environment', '/environments/master', { environments: ['master'] }],
  ])(
    'of the %s revokes a token whose creation is not committed yet',
    async (_what, path, limits) => {
      const release = await holdInserts(world, 'management_token')
      const creating = call<NewToken>(`POST /${project}/management-tokens`, {
        name: 'ci',
        ...limits,
      })
      await until(async () => (await waitingForLocks(world)) === 1)
      const deleting = call(`DELETE /${project}${path}`)
      const isWaiting = until(async () => (await waitingForLocks(world)) === 2)
      await Promise.race([deleting, isWaiting])
      await release()
      expect([(await creating).status, (await deleting).status]).toEqual([201, 202])
      const tokens = await sql(world, 'select from management_token where project_id = $1', [
        project,
      ])
      expect(tokens).toEqual([])
      const published = (await world.platformState()).tokens.has((await creating).body.id)
      expect(published).toBe(false)
    },
  )

  it('waits for an import, and leaves none of its users', async () => {
    const user = { email: newEmail(), passwordHash: await bcrypt.hash(password, 4) }
    const release = await holdInserts(world, 'user_account')
    const importing = call(`POST ${master()}/users/import`, { users: [user] })
    await until(async () => (await waitingForLocks(world)) === 1)
    const deleting = deleteAndPurge(project)
    const isWaiting = until(async () => (await waitingForLocks(world)) === 2)
    await Promise.race([deleting, isWaiting])
    await release()
    expect((await importing).body).toMatchObject({ imported: 1 })
    await deleting
    const users = await sql(world, 'select from user_account where project_id = $1', [project])
    expect(users).toEqual([])
  })
})

describe('a later environment of the name', () => {
  const originOf = async (id: string) => {
    const state = (await world.platformState()).environments.get(`${id}/master`)
    return { createdAt: state?.createdAt ?? '', offsets: state?.changesFrom?.offsets ?? [] }
  }

  it('begins later, behind all changes so far', async () => {
    const before = await originOf(project)
    const headers = { 'x-project-id': project, environment: 'master' }
    const body = { email: newEmail(), password }
    expect((await send(service.api, 'POST /auth/signup', { headers, body })).status).toBe(201)
    await deleteAndPurge(project)
    await call(`PUT ${master()}`, {})
    const after = await originOf(project)
    expect(after.createdAt > before.createdAt).toBe(true)
    expect(after.offsets).toHaveLength(before.offsets.length)
    const sum = (offsets: readonly number[]) => offsets.reduce((all, one) => all + one, 0)
    expect(sum(after.offsets)).toBeGreaterThan(sum(before.offsets))
    const isBehind = (offset: number, partition: number) =>
      offset >= (before.offsets[partition] ?? Number.POSITIVE_INFINITY)
    expect(after.offsets.every(isBehind)).toBe(true)
  })

  it('has no lock of an account of the deleted one', async () => {
    const email = newEmail()
    const headers = { 'x-project-id': project, environment: 'master' }
    const fail = async () => {
      const body = { email, password: 'wrong' }
      return (await send(service.api, 'POST /auth/login', { headers, body })).body.error
    }
    await until(async () => (await fail()) === 'AUTH_ACCOUNT_LOCKED')
    await deleteAndPurge(project)
    await call(`PUT ${master()}`, {})
    const user = { email, passwordHash: await bcrypt.hash(password, 4) }
    await call(`POST ${master()}/users/import`, { users: [user] })
    const { body } = await call<{ users: { id: string }[] }>(`GET ${master()}/users`)
    const lock = await call<UserLock>(`GET ${master()}/users/${body.users[0]?.id}/lock`)
    expect(lock.body).toEqual({ lockedUntil: null, locks: [] })
    expect(await fail()).toBe('AUTH_INVALID_CREDENTIALS')
  })
})

describe('an environment that is being deleted', () => {
  it('has no administration but its own', async () => {
    await call(`DELETE ${master()}`)
    const user = `/users/${randomUUID()}`
    const requests: [request: string, body?: object][] = [
      ['GET /users'],
      ['POST /users/import', { users: [{ email: newEmail() }] }],
      [`GET ${user}`],
      [`PATCH ${user}`, {}],
      [`DELETE ${user}`],
      [`POST ${user}/logout`],
      [`POST ${user}/unlock`],
      [`GET ${user}/lock`],
      [`GET ${user}/sessions`],
      [`DELETE ${user}/sessions/${randomUUID()}`],
      ['GET /roles'],
      ['POST /roles', { name: 'writer' }],
      ['POST /keys/rotate'],
    ]
    for (const [request, body] of requests) {
      const [method, path] = request.split(' ')
      const answer = await call(`${method} ${master()}${path}`, body)
      expect([request, answer.status, answer.body.error]).toEqual([
        request,
        404,
        'ENVIRONMENT_NOT_FOUND',
      ])
    }
    const { body } = await call(`GET ${master()}`)
    expect(body.deletedAt).toEqual(expect.any(String))
  })
})
