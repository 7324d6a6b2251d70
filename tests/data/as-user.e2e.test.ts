import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { NotFoundError, PermissionError, Surehook } from '@surehook/client'
import { createToken } from '@surehook/scripts/client/tenant'
import { type AuthTenant, trusting } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { surehook as command } from '../support/commands/operator-cli.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedAuthWorld
beforeAll(async () => {
  world = await openSharedAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const [[, rest]] = transports as readonly [(typeof transports)[0]]

type Task = { title: string; team?: string; note?: string }

let tenant: AuthTenant
let managing: Surehook
let user: { id: string; email: string; client: Surehook }

const clientOf = ({ projectId, environment }: AuthTenant, token: string) =>
  new Surehook({ baseUrl: world.system.baseUrl, projectId, environment, token })

async function managerOf(of: AuthTenant): Promise<Surehook> {
  const { token } = await createToken(world.system, of.projectId)
  return clientOf(of, token)
}

async function userOf(of: AuthTenant, manager: Surehook) {
  const { email, session } = await of.newUser()
  const { users } = await manager.admin.users.list({ email })
  return { id: users[0]?.id ?? '', email, client: clientOf(of, session.accessToken) }
}

beforeEach(async () => {
  tenant = await world.tenant(rest, trusting)
  managing = await managerOf(tenant)
  await managing.admin.roles.create({ name: 'lead' })
  await managing.tables.put('tasks', {
    columns: [
      { name: 'title', type: 'text' },
      { name: 'team', type: 'text' },
      { name: 'note', type: 'text' },
    ],
    access: {
      read: [
        { role: '*', where: { team: '$user.team' }, columns: ['title', 'team'] },
        { role: 'lead', where: { note: { exists: true } } },
      ],
    },
  })
  await managing.table<Task>('tasks').create([
    { title: 'a', team: 'red' },
    { title: 'b', team: 'blue', note: 'late' },
    { title: 'c', team: 'blue' },
  ])
  user = await userOf(tenant, managing)
})

const titles = (records: readonly Task[]) => records.map(({ title }) => title)

it('a management token sees what the user sees, as roles and attributes change', async () => {
  const tasks = managing.table<Task>('tasks')
  const asUser = user.id
  expect((await tasks.list({}, { asUser })).records).toEqual([])
  await managing.admin.users.update(user.id, { attributes: { team: 'red' }, roles: ['lead'] })
  const { accessToken } = await tenant.login(user.email)
  const own = clientOf(tenant, accessToken).table<Task>('tasks')
  const seen = await eventually(
    () => tasks.list({}, { asUser }),
    ({ records }) => records.length === 2,
  )
  expect(titles(seen.records)).toEqual(['a', 'b'])
  expect(seen).toEqual(await own.list())
  const [a, b] = seen.records
  expect(await tasks.getWithETag(a?.id ?? '', { asUser })).toEqual(
    await own.getWithETag(a?.id ?? ''),
  )
  expect(b).toHaveProperty('note')
  expect(a).not.toHaveProperty('note')
  await expect(own.list({}, { asUser })).rejects.toBeInstanceOf(PermissionError)
})

it('a management token sees nothing as a user of another environment, or as a disabled one', async () => {
  const { projectId } = tenant
  const other = await world.tenant(rest, { ...trusting, projectId, environment: 'other' })
  const elsewhere = await world.tenant(rest, trusting)
  for (const theirs of [other, elsewhere]) {
    const stranger = await userOf(theirs, await managerOf(theirs))
    const reading = managing.table('tasks').list({}, { asUser: stranger.id })
    await expect(reading).rejects.toBeInstanceOf(NotFoundError)
    await expect(reading).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  }
  await managing.admin.users.update(user.id, { disabled: true })
  const disabled = managing.table('tasks').list({}, { asUser: user.id })
  await expect(disabled).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

it('the command shows what a user sees, and why', async () => {
  await managing.admin.users.update(user.id, { attributes: { team: 'red' } })
  const { token } = await createToken(world.system, tenant.projectId)
  const env = {
    SUREHOOK_URL: world.system.baseUrl,
    SUREHOOK_PROJECT: tenant.projectId,
    SUREHOOK_ENVIRONMENT: tenant.environment,
    SUREHOOK_TOKEN: token,
  }
  const list = await command(env, 'records', 'list', 'tasks', '--as-user', user.email)
  expect(list).toMatchObject({ code: 0, out: expect.stringMatching(/^id +title +team/) })
  expect(list.out.split('\n')).toHaveLength(2)

  const { records } = await managing.table<Task>('tasks').list()
  const [id = '', hidden = ''] = records.map((record) => record.id)
  const get = ['records', 'get', 'tasks']
  expect(await command(env, ...get, id, '--as-user', user.id)).toMatchObject({ code: 0 })
  const missing = await command(env, ...get, hidden, '--as-user', user.id)
  expect(missing.notes).toContain('404 RECORD_NOT_FOUND')
  const why = await command(env, 'records', 'explain', 'tasks', hidden, '--user', user.email)
  expect(why.out).toMatch(/^read: no\. No rule of the user admits the record\n/)
  expect(why.out).toMatch(/\* +no +The record does not meet where\.team +red +blue/)
  expect(why.out).toMatch(/lead +no +The user has no role "lead"/)
  const may = await command(env, 'records', 'explain', 'tasks', id, '--user', user.id)
  expect(may.out).toMatch(/^read: yes\. .*: title, team\nupdate: no\. No role/)
  const nobody = await command(env, 'records', 'list', 'tasks', '--as-user', 'x@example.com')
  expect(nobody).toMatchObject({ code: 2, notes: expect.stringContaining('--as-user') })
})
