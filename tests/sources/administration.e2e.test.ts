import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Source } from '@surehook/client'
import { query } from '@surehook/testing/database'
import { surehook, surehookReading } from '../support/commands/operator-cli.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedWorld
let env: NodeJS.ProcessEnv
let url: string

const password = 'the-secret-of-the-source'

beforeAll(async () => {
  world = await openSharedWorld()
  const { projectId, token } = await world.tenant()
  const { baseUrl, endpoints } = world.system
  env = { SUREHOOK_URL: baseUrl, SUREHOOK_PROJECT: projectId, SUREHOOK_TOKEN: token }
  const role = `source_${randomBytes(6).toString('hex')}`
  await query(endpoints.databaseUrl, `create role ${role} login password '${password}'`)
  const { host, pathname } = new URL(endpoints.databaseUrl)
  url = `postgresql://${role}:${password}@${host}${pathname}?sslmode=disable`
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const shown = async (): Promise<Source> =>
  (await surehook(env, 'sources', 'show', 'shop', '--json')).json() as Source

it('is added, says which SQL to run, and is removed, and never shows its password', async () => {
  const added = await surehookReading(`${url}\n`, env, 'sources', 'add', 'shop')
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('state') })
  const { url: shownUrl, slot } = await eventually(shown, ({ state }) => state === 'unprepared')
  expect(shownUrl).toBe(url.replace(`:${password}`, ''))
  expect(slot).toMatch(/^surehook_[0-9a-f]{32}$/)
  const show = await surehook(env, 'sources', 'show', 'shop')
  const sql = show.out
    .split('\n')
    .slice(show.out.split('\n').indexOf('Run in the database, as its owner:'))
  expect(sql).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ALTER ROLE source_\w+ REPLICATION;$/),
      'CREATE PUBLICATION surehook WITH (publish_via_partition_root = true);',
    ]),
  )
  const list = await surehook(env, 'sources', 'list')
  expect(list.out).toMatch(/^shop +unprepared/m)
  for (const { out } of [added, show, list]) expect(out).not.toContain(password)
  const removed = await surehook(env, 'sources', 'remove', 'shop')
  expect(removed).toMatchObject({ code: 0, out: 'source shop is deleted' })
  expect((await surehook(env, 'sources', 'show', 'shop')).code).toBe(1)
})

it('is refused with the name of the wrong field', async () => {
  const refused = await surehookReading(
    'mysql://me:pw@localhost/shop',
    env,
    'sources',
    'add',
    'shop',
  )
  expect(refused.code).toBe(1)
  expect(refused.notes).toContain('url: must be a URL that begins with postgresql://')
})
