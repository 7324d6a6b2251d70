import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { type Records, Surehook, type WatchQuery } from '@surehook/client'
import { createToken } from '@surehook/scripts/client/tenant'
import { until } from '@surehook/testing/until'
import { type AuthTenant, trusting } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

let world: SharedAuthWorld
beforeAll(async () => {
  world = await openSharedAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

type Task = { title: string; done: boolean; price: string | null; owner_id: string }

const [[, rest]] = transports as readonly [(typeof transports)[0]]

const clientOf = ({ projectId, environment }: AuthTenant, token: string) =>
  new Surehook({ baseUrl: world.system.baseUrl, projectId, environment, token })

async function newTenant() {
  const tenant = await world.tenant(rest, trusting)
  const { token } = await createToken(world.system, tenant.projectId, {
    environments: [tenant.environment],
  })
  const manager = clientOf(tenant, token)
  const columns = [
    { name: 'title', type: 'text' as const },
    { name: 'done', type: 'boolean' as const, default: false },
    { name: 'price', type: 'decimal' as const },
  ]
  await manager.tables.put('tasks', { columns, access: 'owner' })
  return { tenant, manager }
}

async function newUser(tenant: AuthTenant) {
  const { session } = await tenant.newUser()
  const surehook = clientOf(tenant, session.accessToken)
  return { session, tasks: surehook.table<Task, Partial<Task>>('tasks') }
}

let stop: AbortController
beforeEach(() => {
  stop = new AbortController()
})
afterEach(() => stop.abort())

/** Follows the list until the test ends. */
function follow(tasks: Records<Task, Partial<Task>>, query: WatchQuery = {}) {
  const lists = tasks.watch(query, { signal: stop.signal })
  const seen: { titles: string[]; failure: unknown } = { titles: [], failure: undefined }
  const read = async () => {
    for await (const list of lists) seen.titles = list.map(({ title }) => title)
  }
  void read().catch((err) => {
    seen.failure = err
  })
  return {
    seen,
    shows: (...titles: string[]) =>
      until(async () => seen.titles.join() === titles.join(), {
        what: `the list ${titles.join()}`,
      }),
  }
}

it('a list has the own records that match, in their order, until the logout', async () => {
  const { tenant, manager } = await newTenant()
  const [ann, bob] = [await newUser(tenant), await newUser(tenant)]
  await ann.tasks.create({ title: 'early', price: '10.0' })
  const first = follow(ann.tasks, { where: { done: false }, order: ['-price', 'title'] })
  await first.shows('early')
  const others = follow(bob.tasks)
  await bob.tasks.create({ title: 'of bob' })
  await ann.tasks.create([
    { title: 'b', price: '9.5' },
    { title: 'a', price: '9.50' },
    { title: 'no price' },
  ])
  await first.shows('no price', 'early', 'a', 'b')
  await others.shows('of bob')
  const [a] = (await ann.tasks.list({ where: { title: 'a' } })).records
  await ann.tasks.update(a?.id ?? '', { done: true })
  await first.shows('no price', 'early', 'b')
  await ann.tasks.update(a?.id ?? '', { done: false, price: '100' })
  await first.shows('no price', 'a', 'early', 'b')
  await manager.table<Task, Partial<Task>>('tasks').update(a?.id ?? '', {
    owner_id: bob.session.user.id,
  })
  await first.shows('no price', 'early', 'b')
  await others.shows('of bob', 'a')
  const [early] = (await ann.tasks.list({ where: { title: 'early' } })).records
  await ann.tasks.delete(early?.id ?? '')
  await first.shows('no price', 'b')
  // The order of the client is that of the service.
  const { records } = await ann.tasks.list({ order: ['-price', 'title'] })
  expect(records.map(({ title }) => title)).toEqual(first.seen.titles)

  await tenant.do('logout', {}, { accessToken: ann.session.accessToken })
  await until(async () => first.seen.failure !== undefined, { what: 'the end' })
  expect(first.seen.failure).toMatchObject({ name: 'AuthenticationError', status: 401 })
  expect(others.seen.failure).toBeUndefined()
})

it('a list is read again when the rules change, and ends when they grant nothing', async () => {
  const { tenant, manager } = await newTenant()
  const [ann, bob] = [await newUser(tenant), await newUser(tenant)]
  await bob.tasks.create({ title: 'of bob' })
  const list = follow(ann.tasks, { order: 'title' })
  await ann.tasks.create({ title: 'of ann' })
  await list.shows('of ann')
  const { columns } = await manager.tables.get('tasks')
  await manager.tables.put('tasks', { columns, access: { read: ['*'] } })
  await list.shows('of ann', 'of bob')
  await manager.tables.put('tasks', { columns, access: { read: [] } })
  await until(async () => list.seen.failure !== undefined, { what: 'the end' })
  expect(list.seen.failure).toMatchObject({ name: 'PermissionError', status: 403 })
})
