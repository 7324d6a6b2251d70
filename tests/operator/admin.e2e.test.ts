import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Environment } from '@surehook/contracts/http/admin/admin'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { surehook } from '../support/commands/operator-cli.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let world: SharedWorld
let system: SharedWorld['system']
let dir: string
const project = `p-${randomUUID()}`

beforeAll(async () => {
  world = await openSharedWorld()
  system = world.system
  dir = await mkdtemp(join(tmpdir(), 'surehook-operator-'))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const platform = () => ({ SUREHOOK_URL: system.baseUrl, SUREHOOK_ADMIN_TOKEN: system.adminToken })
const admin = (...args: string[]) => surehook(platform(), 'admin', ...args)

/** Runs the command, checks that it succeeds, and returns its JSON output. */
async function done<T>(...args: string[]): Promise<T> {
  const answer = await admin(...args, '--json')
  expect(answer).toMatchObject({ code: 0, notes: '' })
  return answer.json() as T
}

async function fileOf(name: string, content: unknown): Promise<string> {
  await writeFile(join(dir, name), JSON.stringify(content))
  return join(dir, name)
}

type ListAnswer = Record<string, { id: string; name?: string; email?: string }[]> & {
  hasMore: boolean
}

describe('surehook demo', () => {
  const demo = (...args: string[]) => surehook(platform(), 'demo', '--timeout', '30s', ...args)

  it('succeeds with a delivery to its receiver, or on request with a first attempt', async () => {
    const port = await freePort()
    const { key, cert } = world.certificates
    const files = { certificate: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
    await Promise.all([writeFile(files.certificate, cert), writeFile(files.key, key)])
    const receiver = ['--receiver', `https://localhost:${port}`, '--certificate', files.certificate]
    const received = await demo(...receiver, '--key', files.key)
    expect(received).toMatchObject({ code: 0, notes: '' })
    expect(received.out).toContain('delivered, with a valid signature')
    const without = await demo('--first-attempt', '--json')
    expect(without.json()).toEqual({ ok: true })
    expect(without.notes).toContain('first attempt made (dns)')
  })

  it('fails if nothing would be delivered', async () => {
    const nowhere = await demo()
    expect(nowhere).toMatchObject({ code: 2, out: '' })
    expect(nowhere.notes).toContain('nothing would be delivered')
    const both = await demo('--first-attempt', '--receiver', 'https://localhost:1')
    expect(both.code).toBe(2)
  })
})

describe('surehook admin, through the gateway', () => {
  it('makes an environment from options, a file, or both, and shows it', async () => {
    const file = await fileOf('settings.json', { emailVerification: false, accessTokenTtl: 60 })
    const options = ['--access-token-ttl', '120', '--lockout-threshold', '7']
    const made = await done('environments', 'put', project, 'master', '--file', file, ...options)
    const auth = { emailVerification: false, accessTokenTtl: 120, lockout: { threshold: 7 } }
    expect(made).toMatchObject({ projectId: project, environment: 'master', auth })
    const put = ['environments', 'put', project, 'master']
    const back = await done<Environment>(...put, '--lockout-threshold', 'null')
    expect(back).toMatchObject({ auth: { accessTokenTtl: 120, lockout: { threshold: 5 } } })
    expect(await done('environments', 'get', project, 'master')).toEqual(back)
    const notify = { ...back.notify, digestInterval: 60 }
    const copy = await fileOf('copy.json', { ...back, notify })
    const other = await done('environments', 'put', project, 'copy', '--file', copy)
    expect(other).toMatchObject({ environment: 'copy', auth: { accessTokenTtl: 120 }, notify })
    const wrong = await fileOf('wrong.json', { auth: {}, notifi: {} })
    const refused = await admin('environments', 'put', project, 'copy', '--file', wrong)
    expect(refused.notes).toContain('notifi: ')
    const shown = await admin('environments', 'get', project, 'master')
    expect(shown.out).toMatch(/^auth\.accessTokenTtl +120$/m)
  })

  it('lists projects over pages, up to `--limit`', async () => {
    await done('environments', 'put', `${project}-2`, 'master')
    const all = await done<ListAnswer>('projects', 'list')
    expect(all['projects']).toContainEqual(
      expect.objectContaining({ id: project, environments: ['copy', 'master'] }),
    )
    const one = await done<ListAnswer>('projects', 'list', '--limit', '1')
    expect(one).toMatchObject({ projects: [expect.anything()], hasMore: true })
    expect((await admin('projects', 'list')).out).toMatch(/^project +environments +created$/m)
  })

  it('creates a working token, lists it without its value, and revokes it', async () => {
    const names = ['--name', 'cli', '--environment', 'master', '--rights', 'tables,users']
    const made = await done<{ id: string; token: string }>('tokens', 'create', project, ...names)
    const headers = {
      authorization: `Bearer ${made.token}`,
      'x-project-id': project,
      environment: 'master',
    }
    const look = () => send(system.baseUrl, 'GET /gw/api/rest/_tables', { headers })
    expectStatus(200, await look())
    const listed = await done<ListAnswer>('tokens', 'list', project)
    expect(listed['tokens']).toMatchObject([
      { id: made.id, name: 'cli', rights: ['tables', 'users'] },
    ])
    expect(JSON.stringify(listed)).not.toContain(made.token)
    const env = { ...platform(), SUREHOOK_TOKEN: made.token, XDG_CONFIG_HOME: dir }
    const login = await surehook(env, 'login', '--project', project)
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining('(tables, users)') })
    expect((await admin('tokens', 'delete', project, made.id)).out).toContain('revoked')
    expect(await admin('tokens', 'delete', project, made.id)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('404 MANAGEMENT_TOKEN_NOT_FOUND'),
    })
    const everywhere = await admin('tokens', 'create', project, '--name', 'everywhere')
    expect(everywhere.out).toMatch(/^environments +all$/m)
  })

  it('creates roles, and imports, changes and deletes users', async () => {
    const where = [project, 'master']
    await done('roles', 'create', ...where, 'editor', '--self-assignable')
    const roles = await done<ListAnswer>('roles', 'list', ...where)
    expect(roles['roles']).toMatchObject([{ name: 'editor', selfAssignable: true }])

    const passwordHash = '$2b$04$V/3C0RYZs524pJhZmP4z0.Ms4X2Eyku2pzo75weYVw9ByMOOYQUiO'
    const users = [{ email: 'ada@example.com', passwordHash, roles: ['editor'] }, { email: 'no' }]
    const file = await fileOf('users.json', users)
    const imported = await admin('users', 'import', ...where, '--file', file)
    expect(imported).toMatchObject({ code: 1, notes: '' })
    expect(imported.out).toContain('1 imported, 1 refused')
    expect(imported.out).toMatch(/^ {2}1: email: /m)

    const found = await done<ListAnswer>('users', 'list', ...where, '--email', 'ada@example.com')
    const id = found['users']?.[0]?.id ?? ''
    const attributes = ['--attributes', '{"team":"north","regions":["eu",2]}']
    const change = ['--first-name', 'Ada', '--no-roles', '--disabled', 'true', ...attributes]
    const set = { roles: [], disabled: true, attributes: { team: 'north', regions: ['eu', 2] } }
    const changed = { id, firstName: 'Ada', ...set }
    expect(await done('users', 'patch', ...where, id, ...change)).toMatchObject(changed)
    expect(await done('users', 'get', ...where, id)).toMatchObject(changed)
    expect((await admin('users', 'get', ...where, id)).out).toMatch(/^attributes.team +north$/m)
    const refused = await admin('users', 'patch', ...where, id, '--attributes', '{"id":1}')
    expect(refused).toMatchObject({ code: 1, notes: expect.stringContaining('attributes.id') })
    expect((await admin('users', 'list', ...where)).out).toContain('ada@example.com')
    expect(await done('users', 'sessions', ...where, id)).toEqual({ sessions: [], hasMore: false })
    expect(await done('users', 'lock', ...where, id)).toEqual({ lockedUntil: null, locks: [] })
    expect(await admin('users', 'end-session', ...where, id, id)).toMatchObject({ code: 1 })
    for (const what of ['unlock', 'logout', 'delete']) await done('users', what, ...where, id)
    expect(await admin('users', 'get', ...where, id)).toMatchObject({ code: 1, out: '' })
  })

  it('rotates keys', async () => {
    const { keys } = await done<ListAnswer>('keys', 'rotate', project, 'master')
    expect(keys?.length).toBeGreaterThan(0)
  })

  it('shows the faults of a request by field, and exits with 1', async () => {
    const put = ['environments', 'put', project, 'master', '--access-token-ttl', '0']
    const refused = await admin(...put, '--password-min-length', '4')
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.notes).toContain('400 VALIDATION_ERROR')
    expect(refused.notes).toMatch(/^ {2}auth\.accessTokenTtl: /m)
    expect(refused.notes).toMatch(/^ {2}auth\.password\.minLength: /m)
    const inJson = (await admin(...put, '--json')).json()
    const violations = [expect.objectContaining({ field: 'auth.accessTokenTtl' })]
    expect(inJson).toMatchObject({ status: 400, error: 'VALIDATION_ERROR', violations })
  })

  it('reports a wrong token and an unreachable gateway', async () => {
    const list = ['admin', 'projects', 'list']
    const wrong = { ...platform(), SUREHOOK_ADMIN_TOKEN: 'not-the-token-of-it' }
    const refused = await surehook(wrong, ...list)
    expect(refused).toMatchObject({
      code: 1,
      notes: expect.stringContaining('ADMIN_TOKEN_INVALID'),
    })
    const nobody = await surehook({ ...platform(), SUREHOOK_URL: 'http://127.0.0.1:1' }, ...list)
    expect(nobody).toMatchObject({ code: 1, notes: expect.stringContaining('cannot be reached') })
  })

  it('runs as a separate command, with its exit codes', async () => {
    const run = async (...args: string[]) => {
      const bin = `${repoRoot}/packages/cli/bin/surehook.mjs`
      const env = { ...process.env, ...platform() }
      const child = spawn(process.execPath, [bin, ...args], { cwd: dir, env })
      const ended = new Promise((resolve) => child.once('close', resolve))
      const [out, notes] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { code: await ended, out, notes }
    }
    const listed = await run('admin', 'projects', 'list', '--json')
    expect(listed).toMatchObject({ code: 0, notes: '' })
    expect(JSON.parse(listed.out)).toMatchObject({ hasMore: false })
    expect(await run('admin', 'projects')).toMatchObject({ code: 2, out: '' })
    const unknown = await run('admin', 'environments', 'get', project, 'nowhere')
    expect(unknown).toMatchObject({ code: 1, out: '' })
    expect(unknown.notes).toContain('ENVIRONMENT_NOT_FOUND')
  })
})
