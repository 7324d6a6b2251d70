import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { managementRights } from '@surehook/contracts/rights'
import { type Answer, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { text, titlesOf, type User, useRulesWorld } from './support/rules-world.ts'

const lines: string[] = []
const rules = useRulesWorld(
  createLogger('as-user', 'error', { write: (line) => void lines.push(line) }),
)

const header = 'X-As-User'
let ada: User
let ids: string[]

/** What a caller gets, without what differs between two equal requests. */
const shown = ({ status, text: body, headers }: Answer<unknown>) => ({
  status,
  body,
  etag: headers.get('etag'),
})

beforeEach(async () => {
  ada = await rules.userWith('seller', 'clerk')
  rules.issuer.values.set(ada.id, {
    email: 'ada@example.com',
    attributes: { region: 'north' },
    roles: ['seller', 'clerk'],
  })
  await rules.define('orders', {
    columns: [text('title'), text('region'), text('note'), { name: 'owner', type: 'uuid' }],
    access: {
      read: [
        { role: '*', where: { owner: '$user.id' } },
        { role: 'seller', where: { region: '$user.region' }, columns: ['title', 'region'] },
        { role: 'auditor' },
      ],
    },
  })
  await rules.define('secrets', { columns: [text('title')] })
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((title, index) => ({
    title,
    note: `note ${title}`,
    region: index % 2 === 0 ? 'north' : 'south',
    owner: index < 2 ? ada.id : null,
  }))
  const made = await rules.manager.call('POST orders', rows)
  ids = made.list.map(({ id }) => id)
})

describe('a management token that reads as a user', () => {
  test('gets the bytes that the user gets, over REST', async () => {
    const [own, , admitted, hidden] = ids
    const asAda = rules.asUser(ada.id)
    const where = (json: object) => `where=${encodeURIComponent(JSON.stringify(json))}`
    for (const request of [
      'GET orders',
      'GET orders?order=-title',
      'GET orders?order=note,-region&limit=2',
      `GET orders?${where({ region: 'north' })}`,
      `GET orders?${where({ note: { exists: false } })}&order=-title`,
      `GET orders?${where({ secret: 1 })}`,
      `GET orders/${own}`,
      `GET orders/${admitted}`,
      `GET orders/${hidden}`,
      'GET secrets',
      'GET missing',
    ]) {
      const [theirs, same] = [await ada.call(request), await asAda.call(request)]
      expect([request, shown(same)]).toEqual([request, shown(theirs)])
    }
    expect(titlesOf(await asAda.call<Records>('GET orders'))).toEqual(['a', 'b', 'c', 'e'])
    expect((await asAda.call(`GET orders/${admitted}`)).body).not.toHaveProperty('note')
    const etag = String((await ada.call(`GET orders/${own}`)).headers.get('etag'))
    const unchanged = { 'if-none-match': etag }
    expect((await asAda.call(`GET orders/${own}`, undefined, unchanged)).status).toBe(304)
  })

  test('gets the pages that the user gets', async () => {
    const asAda = rules.asUser(ada.id)
    let cursor: string | null = ''
    const titles: unknown[] = []
    while (cursor !== null) {
      const request: string = `GET orders?order=-title&limit=1${cursor && `&cursor=${cursor}`}`
      const page: Answer<Records> = await asAda.call<Records>(request)
      expect(shown(page)).toEqual(shown(await ada.call(request)))
      titles.push(...titlesOf(page))
      cursor = page.body.nextCursor
    }
    expect(titles).toEqual(['e', 'c', 'b', 'a'])
  })

  test("sees no more with the cursor of the token's own list", async () => {
    const page = await rules.manager.call<Records>('GET orders?limit=3')
    const rest = `GET orders?cursor=${page.body.nextCursor}`
    expect(titlesOf(await rules.asUser(ada.id).call<Records>(rest))).toEqual(['e'])
    expect(titlesOf(await rules.manager.call<Records>(rest))).toEqual(['d', 'e', 'f'])
  })

  test('gets what the user gets, over GraphQL', async () => {
    const asAda = rules.asUser(ada.id)
    for (const query of [
      '{ orders(order: "-title") { records { id title note } nextCursor } }',
      `{ order(id: "${ids[0]}") { title note } }`,
      `{ order(id: "${ids[3]}") { title } }`,
      '{ secrets { records { title } } }',
      '{ __schema { queryType { fields { name } } types { name fields { name } } } }',
    ]) {
      const [theirs, same] = [await ada.graphql(query), await asAda.graphql(query)]
      expect([query, same]).toEqual([query, theirs])
    }
  })

  test('may change nothing', async () => {
    const asAda = rules.asUser(ada.id)
    await rules.define('orders', {
      columns: [text('title'), text('region'), text('note'), { name: 'owner', type: 'uuid' }],
      access: { create: ['*'], update: ['*'], delete: ['*'] },
    })
    for (const [request, body] of [
      ['POST orders', { title: 'x' }],
      [`PATCH orders/${ids[0]}`, { title: 'x' }],
      [`DELETE orders/${ids[0]}`],
      ['PUT _tables/orders', { columns: [text('title')] }],
      ['DELETE _tables/orders'],
      ['GET _tables/orders'],
      ['POST _changes', { table: 'x', event: 'INSERT', recordId: '1', record: {} }],
    ] as const) {
      const refused = await asAda.call(request, body)
      expect([request, refused.status, fieldsOf(refused)]).toEqual([request, 400, [header]])
    }
    for (const mutation of [
      'createOrder(input: { title: "x" }) { id }',
      'createOrders(input: [{ title: "x" }]) { id }',
      `updateOrder(id: "${ids[0]}", input: { title: "x" }) { id }`,
      `deleteOrder(id: "${ids[0]}") { id }`,
    ]) {
      const refused = await asAda.graphql(`mutation { ${mutation} }`)
      expect([mutation, refused.codes]).toEqual([mutation, ['VALIDATION_ERROR']])
    }
    const now = await rules.manager.call<Records>('GET orders')
    expect(titlesOf(now)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  test('needs the rights to read records, rules and users', async () => {
    for (const right of managementRights) {
      const rights = managementRights.filter((one) => one !== right)
      const token = await rules.world.token(rules.tenant.projectId, { rights })
      const answer = await rules.asUser(ada.id, token).call('GET orders')
      const needed = right !== 'sources' && right !== 'webhooks'
      expect([right, answer.status]).toEqual([right, needed ? 403 : 200])
      if (needed) expect(answer.text).toContain(`has no right \\"${right}\\"`)
    }
  })

  test('names a user who exists, by an id', async () => {
    const read = (id: string) => rules.asUser(id).call('GET orders')
    expect((await read(randomUUID())).body.error).toBe('USER_NOT_FOUND')
    const faulty = await read('ada@example.com')
    expect([faulty.status, fieldsOf(faulty)]).toEqual([400, [header]])
    expect(shown(await read(ada.id.toUpperCase()))).toEqual(shown(await ada.call('GET orders')))
    const elsewhere = { environment: 'missing' }
    const missing = await rules.asUser(randomUUID()).call('GET orders', undefined, elsewhere)
    expect(missing.body.error).toBe('ENVIRONMENT_NOT_FOUND')
  })

  test('waits for an auth-service that tells the roles', async () => {
    rules.issuer.values.set(ada.id, { email: 'ada@example.com', attributes: {} })
    expect((await rules.asUser(ada.id).call('GET orders')).status).toBe(503)
  })

  test("spends the token's own requests, and not the user's", async () => {
    const none = { perSecond: null, burst: null, perTokenPerSecond: null }
    const data = { perSecond: 100, burst: 1_000, perTokenPerSecond: 1 }
    await rules.world.setUp(rules.tenant, { limits: { data, webhooks: none } })
    // A user's request reads the new limits first.
    await ada.call('GET orders')
    const asAda = rules.asUser(ada.id)
    // Each field beyond the second costs a point.
    const list = 'orders { records { id } }'
    const query = `{ ${['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: ${list}`).join(' ')} }`
    const answers = await Promise.all(Array.from({ length: 40 }, () => asAda.graphql(query)))
    expect(answers.flatMap(({ codes }) => codes)).toContain('RATE_LIMIT_EXCEEDED')
    expect((await ada.call('GET orders')).status).toBe(200)
  })
})

test('a user reads as nobody else', async () => {
  const grace = await rules.userWith()
  const answer = await grace.call('GET orders', undefined, { [header]: ada.id })
  expect([answer.status, answer.body.error]).toEqual([403, 'FORBIDDEN'])
})

describe('the audit trail', () => {
  /** The audit lines of one call. */
  const trailOf = async (send: (headers: Record<string, string>) => Promise<unknown>) => {
    const requestId = randomUUID()
    await send({ 'x-request-id': requestId })
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['msg'] === 'audit' && line['requestId'] === requestId)
  }
  const admitted = {
    event: 'authz_admin',
    outcome: 'success',
    actor: 'management_token',
    actorId: expect.any(String),
  }

  test('has one line for each read as a user', async () => {
    const asAda = rules.asUser(ada.id)
    const { projectId, environment } = rules.tenant
    const whole = { ...admitted, projectId, environment, userId: ada.id }
    expect(await trailOf((id) => asAda.call('GET orders', undefined, id))).toEqual([
      expect.objectContaining({ ...whole, operation: 'listRecords', target: 'orders' }),
    ])
    expect(await trailOf((id) => asAda.call(`GET orders/${ids[0]}`, undefined, id))).toEqual([
      expect.objectContaining({ ...whole, operation: 'getRecord', target: ids[0] }),
    ])
    const query = '{ orders { records { title } } again: orders { records { id } } }'
    expect(await trailOf((id) => asAda.graphql(query, {}, id))).toEqual([
      expect.objectContaining({ ...whole, operation: 'dataGraphQL' }),
    ])
    expect(await trailOf((id) => rules.manager.call('GET orders', undefined, id))).toEqual([])
    expect(await trailOf((id) => ada.call('GET orders', undefined, id))).toEqual([])
  })

  test('has one of each that is refused', async () => {
    const id = randomUUID()
    const unknown = await trailOf((more) => rules.asUser(id).call('GET orders', undefined, more))
    expect(unknown).toEqual([
      expect.objectContaining({
        ...admitted,
        outcome: 'failure',
        reason: 'USER_NOT_FOUND',
        userId: id,
      }),
    ])
    const token = await rules.world.token(rules.tenant.projectId, { rights: ['records'] })
    const refused = await trailOf((more) =>
      rules.asUser(ada.id, token).call('GET orders', undefined, more),
    )
    expect(refused).toEqual([
      expect.objectContaining({
        event: 'authz_fail',
        outcome: 'failure',
        actor: 'management_token',
        reason: 'FORBIDDEN',
      }),
    ])
    const secret = `mt_${'x'.repeat(43)}`
    const misplaced = await trailOf((more) =>
      rules.asUser(secret).call('GET orders', undefined, more),
    )
    expect(misplaced).toMatchObject([{ outcome: 'failure', reason: 'VALIDATION_ERROR' }])
    expect(lines.join('')).not.toContain(secret)
  })
})
