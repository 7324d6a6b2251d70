import { describe, expect, it } from '@jest/globals'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { clientOf, validInput } from './support/client.ts'
import { encryptionKey } from './support/under-test.ts'
import { useService } from './support/use-service.ts'

const under = useService()

const opened = (id: string, secrets: readonly { ciphertext: string }[] = []) =>
  secrets.map(({ ciphertext }) => createSecretBox(encryptionKey).open(ciphertext, id))

describe('POST /_webhooks', () => {
  it('answers 201 with exactly what the specification lists, and never the secret', async () => {
    const { status, body, text } = await under.client.call('POST', validInput(under.tenant))
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projectId: under.tenant.projectId,
      environment: 'master',
      table: 'orders',
      events: ['INSERT', 'UPDATE'],
      url: 'https://receiver.example/hooks',
      active: true,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      // The table does not exist yet.
      warnings: [{ field: 'table', message: expect.any(String) }],
    })
    expect(text).not.toContain('signing-secret-1')
  })

  it('has the state on the topic before it answers, with the secret encrypted', async () => {
    const input = {
      ...validInput(under.tenant),
      filter: { status: 'paid' },
      select: ['id', 'status'],
    }
    const { body } = await under.client.call('POST', input)
    const state = (await under.world.subscriptionStates()).get(body.id)
    expect(state).toMatchObject({
      id: body.id,
      projectId: under.tenant.projectId,
      environment: 'master',
      table: 'orders',
      events: ['INSERT', 'UPDATE'],
      url: input.url,
      active: true,
      filter: '{"status":"paid"}',
      select: ['id', 'status'],
      createdAt: body.createdAt,
    })
    expect(JSON.stringify(state)).not.toContain('signing-secret-1')
    expect(opened(body.id, state?.secrets)).toEqual(['signing-secret-1'])
    expect(body).toMatchObject({ filter: { status: 'paid' }, select: ['id', 'status'] })
  })

  it('keeps the given active, and accepts null for no filter and no selection', async () => {
    const input = { ...validInput(under.tenant), active: false, filter: null, select: null }
    const { status, body } = await under.client.call('POST', input)
    expect([status, body.active]).toEqual([201, false])
    expect(body).not.toHaveProperty('filter')
    expect(body).not.toHaveProperty('select')
  })

  it('makes several subscriptions of one table and event', async () => {
    const first = await under.client.call('POST', validInput(under.tenant))
    const second = await under.client.call('POST', validInput(under.tenant))
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.body.id).not.toBe(second.body.id)
  })

  it("refuses more than the environment's limit, also for simultaneous requests", async () => {
    await using limited = await under.world.startService({ maxSubscriptions: 3 })
    const limitedClient = clientOf(limited.api, under.tenant)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => limitedClient.call('POST', validInput(under.tenant))),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 409, 409, 409,
    ])
    expect(answers.find(({ status }) => status === 409)?.body.error).toBe('CONFLICT')
    const other = clientOf(limited.api, await under.world.tenant())
    expect((await other.list()).body.webhooks).toEqual([])
  })
})

describe('GET /_webhooks', () => {
  const create = async (change: object = {}) =>
    (await under.client.call('POST', { ...validInput(under.tenant), ...change })).body.id

  it('lists the newest first, in pages', async () => {
    const ids = [await create(), await create(), await create()].reverse()
    const all = await under.client.list()
    expect(all.status).toBe(200)
    expect(all.body.webhooks.map(({ id }) => id)).toEqual(ids)
    expect(all.body.nextCursor).toBeNull()
    expect(all.text).not.toContain('secret')

    const first = await under.client.list('?limit=2')
    expect(first.body.webhooks.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const rest = await under.client.list(`?limit=2&cursor=${first.body.nextCursor}`)
    expect(rest.body.webhooks.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(rest.body.nextCursor).toBeNull()
  })

  it('filters by table and by active', async () => {
    const paused = await create({ active: false })
    const invoices = await create({ table: 'invoices' })
    const list = async (query: string) =>
      (await under.client.list(query)).body.webhooks.map(({ id }) => id)
    expect(await list('?active=false')).toEqual([paused])
    expect(await list('?table=invoices')).toEqual([invoices])
    expect(await list('?table=invoices&active=false')).toEqual([])
    expect(await list('?table=orders&active=false')).toEqual([paused])
  })
})

describe('GET /_webhooks/{id}', () => {
  it('answers the webhook and its deliveries', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    const { status, body } = await under.client.call(`GET /${created.id}`)
    expect(status).toBe(200)
    expect(body).toEqual({ webhook: created, deliveries: [] })
  })
})

describe('PATCH /_webhooks/{id}', () => {
  it('changes any of the fields, answers the whole and has it on the topic', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    const change = {
      table: 'invoices',
      events: ['DELETE'],
      url: 'https://other.example/',
      active: false,
      filter: { total: { gt: 10 } },
      select: ['total'],
    }
    const patched = await under.client.call(`PATCH /${created.id}`, change)
    expect([patched.status, patched.body]).toEqual([
      200,
      { ...created, ...change, warnings: expect.any(Array) },
    ])
    expect((await under.client.get(created.id)).body.webhook).toEqual(patched.body)
    const state = (await under.world.subscriptionStates()).get(created.id)
    expect(state).toMatchObject({ ...change, filter: '{"total":{"gt":10}}' })

    const cleared = await under.client.call(`PATCH /${created.id}`, { filter: null, select: null })
    expect(cleared.body).not.toHaveProperty('filter')
    expect(cleared.body).not.toHaveProperty('select')
    expect((await under.world.subscriptionStates()).get(created.id)).toMatchObject({
      filter: null,
      select: null,
      active: false,
    })
  })

  it('writes no state when nothing changes', async () => {
    const policy = { headers: { Authorization: 'Bearer a', 'X-Route': 'b' }, concurrency: 2 }
    const wanted = { name: 'same', filter: { total: { gt: 10 } }, policy }
    const input = { ...validInput(under.tenant), ...wanted }
    const { body: created } = await under.client.call('POST', input)
    const stateOf = async () => (await under.world.subscriptionStates()).get(created.id)
    const before = await stateOf()
    for (const change of [{}, { name: 'same' }, { policy }, input]) {
      const { status, body } = await under.client.call(`PATCH /${created.id}`, change)
      expect([status, body]).toEqual([200, created])
    }
    expect(await stateOf()).toEqual(before)
    await under.client.call(`PATCH /${created.id}`, { name: 'other' })
    expect(await stateOf()).not.toEqual(before)
  })

  it('keeps absent fields, and accepts its own tenant', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    expect((await under.client.call(`PATCH /${created.id}`, {})).body).toEqual(created)
    const { projectId, environment } = under.tenant
    const same = await under.client.call(`PATCH /${created.id}`, { projectId, environment })
    expect([same.status, same.body]).toEqual([200, created])
    const state = (await under.world.subscriptionStates()).get(created.id)
    expect(opened(created.id, state?.secrets)).toEqual(['signing-secret-1'])
  })

  it('keeps the old secret for 24 hours, for the requested time, or not at all', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    const secretsAfter = async (change: object) => {
      const { text, status } = await under.client.call(`PATCH /${created.id}`, change)
      expect(status).toBe(200)
      expect(text).not.toContain('secret')
      const secrets = (await under.world.subscriptionStates()).get(created.id)?.secrets ?? []
      const answer = JSON.parse(text)
      expect(answer.previousSecretExpiresAt).toBe(secrets[1]?.validUntil)
      expect((await under.client.get(created.id)).body.webhook).toEqual(answer)
      return secrets
    }
    const hoursLeft = (validUntil: string | null | undefined) =>
      (Date.parse(validUntil ?? '') - Date.now()) / 3_600_000

    const rotated = await secretsAfter({ secret: 'two' })
    expect(opened(created.id, rotated)).toEqual(['two', 'signing-secret-1'])
    expect(rotated[0]?.validUntil).toBeNull()
    expect(hoursLeft(rotated[1]?.validUntil)).toBeCloseTo(24, 1)

    const again = await secretsAfter({ secret: 'three', secretOverlap: 3600 })
    expect(opened(created.id, again)).toEqual(['three', 'two', 'signing-secret-1'])
    expect(hoursLeft(again[1]?.validUntil)).toBeCloseTo(1, 1)

    const alone = await secretsAfter({ secret: 'four', secretOverlap: 0 })
    expect(opened(created.id, alone)).toEqual(['four'])
  })

  it('loses none of many simultaneous changes, and leaves the last one on the topic', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    // Each round changes every field once, so a lost change leaves a value of the previous round.
    for (const round of [1, 2, 3, 4]) {
      const expected = {
        table: `orders${round}`,
        events: [['INSERT'], ['UPDATE']][round % 2],
        url: `https://receiver.example/${round}`,
        active: round % 2 === 0,
        filter: { round },
        select: [`field${round}`],
      }
      const answers = await Promise.all(
        Object.entries(expected).map(([field, value]) =>
          under.client.call(`PATCH /${created.id}`, { [field]: value }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
      const state = (await under.world.subscriptionStates()).get(created.id)
      expect(state).toMatchObject({ ...expected, filter: JSON.stringify({ round }) })
      const { webhook } = (await under.client.get(created.id)).body
      expect(webhook).toEqual({ ...created, ...expected, warnings: expect.any(Array) })
    }
  })
})

describe('DELETE /_webhooks/{id}', () => {
  it('answers 204, and leaves nothing, also on the topic', async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    expect(await under.world.subscriptionStates()).toContainEqual([created.id, expect.anything()])
    const deleted = await under.client.call(`DELETE /${created.id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await under.world.subscriptionStates()).has(created.id)).toBe(false)
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await under.client.call(`${method} /${created.id}`)
      expect([status, body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    }
    const patched = await under.client.call(`PATCH /${created.id}`, { active: true })
    expect([patched.status, patched.body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
  })
})

describe('a tenant', () => {
  it("neither sees, changes nor deletes another tenant's subscriptions", async () => {
    const { body: created } = await under.client.call('POST', validInput(under.tenant))
    const stranger = clientOf(under.service.api, await under.world.tenant())
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { active: false }]] as const) {
      const answer = await stranger.call(`${method} /${created.id}`, body)
      expect([answer.status, answer.body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    }
    expect((await stranger.list()).body.webhooks).toEqual([])
    expect((await under.client.get(created.id)).body.webhook).toEqual(created)
  })
})
