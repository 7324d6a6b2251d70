import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Records } from '@surehook/scripts/client/call'
import { text, titlesOf, type User, useRulesWorld, violationsOf } from './support/rules-world.ts'

const rules = useRulesWorld()

describe('a rule', () => {
  test('of create and update refuses values that it does not admit, and writes none', async () => {
    const open = { role: 'clerk', where: { state: { in: ['new', 'open'] } } }
    await rules.define('cases', {
      columns: [text('title'), text('state')],
      access: { read: ['clerk'], create: [open], update: [open] },
    })
    const clerk = await rules.userWith('clerk')
    const refused = await clerk.call('POST cases', { title: 'a', state: 'closed' })
    expect([refused.status, refused.body.error]).toEqual([403, 'FORBIDDEN'])
    const some = [{ state: 'new' }, { state: 'open' }, { state: 'closed' }, {}]
    const list = await clerk.call('POST cases', some)
    expect([list.status, violationsOf(list)]).toEqual([403, [['2', 'not_allowed']]])
    expect((await rules.manager.call<Records>('GET cases')).body.records).toEqual([])

    const made = await clerk.call('POST cases', [{ title: 'a', state: 'new' }, { state: 'open' }])
    expect(made.list.map(({ state }) => state)).toEqual(['new', 'open'])
    const path = `cases/${made.list[0]?.id}`
    expect((await clerk.call(`PATCH ${path}`, { state: 'closed' })).status).toBe(403)
    expect((await clerk.call(`PATCH ${path}`, { state: 'open' })).status).toBe(200)
    await rules.manager.call(`PATCH ${path}`, { state: 'closed' })
    expect((await clerk.call(`PATCH ${path}`, { state: 'open' })).status).toBe(404)
    expect((await clerk.call(`GET ${path}`)).body['state']).toBe('closed')
  })

  test('limits the columns that a role reads, filters, orders by and sends', async () => {
    await rules.define('people', {
      columns: [text('name'), text('salary'), { ...text('badge'), unique: true }],
      access: {
        read: [{ role: 'guest', columns: ['name'] }],
        create: [{ role: 'guest', columns: ['name', 'badge'] }],
        update: [{ role: 'guest', columns: ['name', 'badge'] }],
      },
    })
    const guest = await rules.userWith('guest')
    const { body } = await rules.manager.call('POST people', {
      name: 'a',
      salary: '10',
      badge: 'x',
    })
    const known = { id: body.id, name: 'a', createdAt: body.createdAt, updatedAt: body.updatedAt }
    expect((await guest.call(`GET people/${body.id}`)).body).toEqual(known)
    expect((await guest.call<Records>('GET people')).body.records).toEqual([known])
    for (const query of ['order=salary', 'where={"salary":"10"}', 'order=badge']) {
      const answer = await guest.call(`GET people?${query}`)
      const unknown = await guest.call(`GET people?${query.replace(/salary|badge/, 'nothing')}`)
      expect(answer.status).toBe(400)
      const message = JSON.stringify(answer.body.violations)
      expect(message.replace(/salary|badge/g, 'nothing')).toBe(
        JSON.stringify(unknown.body.violations),
      )
    }
    for (const request of ['POST people', `PATCH people/${body.id}`]) {
      const answers = [
        await guest.call(request, { salary: '1' }),
        await guest.call(request, { nothing: '1' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 400])
      expect(answers.map((of) => violationsOf(of)?.[0]?.[1])).toEqual([
        'unknown_field',
        'unknown_field',
      ])
    }
    const own = await guest.call('POST people', { name: 'b', badge: 'y' })
    expect(Object.keys(own.body)).toEqual(['id', 'name', 'createdAt', 'updatedAt'])
  })

  test('does not tell which hidden record has a unique value', async () => {
    const own = { role: 'member', where: { owner: '$user.id' } }
    const set = { role: 'member', set: { owner: '$user.id' } }
    await rules.define('links', {
      columns: [text('owner'), { ...text('slug'), unique: true }],
      access: { read: [own], create: [set], update: [{ ...own, ...set }] },
    })
    const [ann, bob] = [await rules.userWith('member'), await rules.userWith('member')]
    const { body: mine } = await ann.call('POST links', { slug: 'a' })
    await bob.call('POST links', { slug: 'b' })
    const conflicts = [
      await ann.call('POST links', { slug: 'a' }),
      await ann.call('POST links', { slug: 'b' }),
      await ann.call('POST links', [{ slug: 'c' }, { slug: 'b' }]),
      await ann.call('POST links', [{ slug: 'c' }, { slug: 'a' }]),
      await ann.call(`PATCH links/${mine.id}`, { slug: 'b' }),
    ]
    expect(conflicts.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    expect(conflicts.map(violationsOf)).toEqual([
      [['slug', 'not_unique']],
      [],
      [],
      [['1.slug', 'not_unique']],
      [],
    ])
  })

  test('joins with the rules of other roles: their records, and per record their columns', async () => {
    await rules.define('files', {
      columns: [text('title'), text('owner'), text('team'), text('secret')],
      access: {
        read: [
          { role: 'member', where: { owner: '$user.id' } },
          { role: 'lead', where: { team: { in: '$user.roles' } }, columns: ['title', 'team'] },
        ],
      },
    })
    const both = await rules.userWith('member', 'lead', 'red')
    await rules.manager.call('POST files', [
      { title: 'own', owner: both.id, team: 'blue', secret: 's1' },
      { title: 'team', owner: 'x', team: 'red', secret: 's2' },
      { title: 'both', owner: both.id, team: 'red', secret: 's3' },
      { title: 'none', owner: 'x', team: 'blue', secret: 's4' },
    ])
    const page = await both.call<Records>('GET files?order=secret,title')
    expect(page.body.records.map(({ title, secret }) => [title, secret])).toEqual([
      ['own', 's1'],
      ['both', 's3'],
      // The order sees what the user sees.
      ['team', undefined],
    ])
    const found = async (where: object) =>
      titlesOf(await both.call<Records>(`GET files?where=${JSON.stringify(where)}`))
    expect(await found({ secret: 's2' })).toEqual([])
    expect(await found({ secret: null })).toEqual(['team'])
    expect(await found({ not: { secret: 's2' } })).toEqual(['both', 'own', 'team'])
    const lead = await rules.userWith('lead', 'red')
    expect((await lead.call('GET files?where={"secret":null}')).status).toBe(400)
    const first = await both.call<Records>('GET files?order=secret,title&limit=1')
    const next = await both.call<Records>(
      `GET files?order=secret,title&limit=1&cursor=${first.body.nextCursor}`,
    )
    expect(titlesOf(next)).toEqual(['both'])
  })

  test('uses each rule of create for the records that it admits', async () => {
    await rules.define('tasks', {
      columns: [text('title'), text('owner'), text('team')],
      access: {
        read: ['member'],
        create: [
          { role: 'lead', where: { team: 'red' }, columns: ['title', 'team'] },
          { role: 'member', columns: ['title', 'team'], set: { owner: '$user.id' } },
        ],
      },
    })
    const both = await rules.userWith('member', 'lead')
    const made = await both.call('POST tasks', [
      { title: '1', team: 'red' },
      { title: '2', team: 'blue' },
      { title: '3' },
    ])
    expect(made.list.map(({ owner }) => owner)).toEqual([null, both.id, both.id])
  })

  test('grants nothing to a user who lacks a value that it names, also inside a not', async () => {
    await rules.define('papers', {
      columns: [text('title'), text('team'), { name: 'level', type: 'integer' }],
      access: {
        read: [
          { role: 'a', where: { not: { team: '$user.team' } } },
          { role: 'b', where: { level: '$user.level' } },
        ],
        create: [{ role: 'a', set: { team: '$user.team' } }],
      },
    })
    await rules.manager.call('POST papers', [{ title: 'x' }, { title: 'y', team: 'red' }])
    for (const role of ['a', 'b']) {
      const user = await rules.userWith(role)
      expect([role, (await user.call<Records>('GET papers')).body.records]).toEqual([role, []])
    }
    expect((await (await rules.userWith('a')).call('POST papers', { title: 'z' })).status).toBe(403)
  })

  test('holds for the stored answer of an idempotency key, too', async () => {
    const access = (columns: string[]) => ({ read: [{ role: 'm', columns }], create: ['m'] })
    const columns = [text('title'), text('secret')]
    await rules.define('posts', { columns, access: access(['title', 'secret']) })
    const user = await rules.userWith('m')
    const key = { 'Idempotency-Key': randomUUID() }
    const input = { title: 'a', secret: 's' }
    expect((await user.call('POST posts', input, key)).body).toMatchObject(input)
    await rules.define('posts', { columns, access: access(['title']) })
    const again = (await user.call('POST posts', input, key)).body
    expect([again['title'], again['secret']]).toEqual(['a', undefined])
    const other = await rules.userWith('m')
    expect((await other.call('POST posts', input, key)).body.id).not.toBe(again.id)
  })

  test('lets a repeated update write nothing only if the caller sees what it changes', async () => {
    await rules.define('codes', {
      columns: [text('title'), text('pin'), text('owner')],
      access: {
        read: [{ role: 'm', where: { owner: '$user.id' }, columns: ['title', 'owner'] }],
        update: [{ role: 'm', where: { owner: '$user.id' }, columns: ['title', 'pin'] }],
      },
    })
    const user = await rules.userWith('m')
    const { body } = await rules.manager.call('POST codes', {
      title: 'a',
      pin: '1',
      owner: user.id,
    })
    const patched = async (input: object) =>
      (await user.call(`PATCH codes/${body.id}`, input)).body.updatedAt
    expect(await patched({ title: 'a' })).toBe(body.updatedAt)
    const right = await patched({ pin: '1' })
    expect(right > body.updatedAt).toBe(true)
    expect((await patched({ pin: '2' })) > right).toBe(true)
  })

  test('holds in GraphQL, with aliases and for a page of many', async () => {
    await rules.define('memos', { columns: [text('title'), text('secret')], access: 'owner' })
    const [ann, bob] = [await rules.userWith(), await rules.userWith()]
    const { body } = await ann.call('POST memos', { title: 'a', secret: 's' })
    const query =
      '{ a: memos { records { title } } b: memos(where: {secret: {eq: "s"}}) { records { id } } }'
    expect((await bob.graphql<Records>(query)).data).toEqual({
      a: { records: [] },
      b: { records: [] },
    })
    expect((await ann.graphql<Records>(query)).data?.['b']?.records).toEqual([{ id: body.id }])
    const one = await bob.graphql(`{ memo(id: "${body.id}") { title } }`)
    expect([one.data, one.codes]).toEqual([{ memo: null }, ['RECORD_NOT_FOUND']])
    const change = `updateMemo(id: "${body.id}", input: {title: "x"}) { title }`
    expect((await bob.graphql(`mutation { ${change} }`)).codes).toEqual(['RECORD_NOT_FOUND'])
  })

  test('keeps the columns that a role never uses out of its GraphQL schema', async () => {
    await rules.define('wages', {
      columns: [text('title'), text('amount')],
      access: {
        read: ['boss', { role: 'm', columns: ['title'] }],
        delete: ['m'],
      },
    })
    const isValid = async (user: User) => {
      const { errors } = await user.graphql('{ wages { records { title amount } } }')
      return errors.length === 0
    }
    const types = '{ __type(name: "Wage") { fields { name } } }'
    const member = await rules.userWith('m')
    expect((await member.graphql(types)).text).not.toContain('amount')
    expect(await isValid(member)).toBe(false)
    const boss = await rules.userWith('boss', 'm')
    expect((await boss.graphql(types)).text).toContain('amount')
    expect(await isValid(boss)).toBe(true)
  })
})
