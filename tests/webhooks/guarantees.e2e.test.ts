import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { expectStatus, type Fields } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import {
  type Listener,
  type ListeningWorld,
  openListeningWorld,
} from '../support/listening-world.ts'

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  // Separate processes, because one test stops only the matcher. One attempt at a time, so that
  // deliveries arrive in the order in which attempts start.
  const env = { WEBHOOK_ENDPOINT_CONCURRENCY: '1', WEBHOOK_TIMEOUT: '60s' }
  world = await openListeningWorld({ mode: 'separate', env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const change = async ({ id }: Fields, fields: object) =>
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, fields)).body
const manage = async (request: string, fields?: object) => tenant.webhooks(request, fields)
const notesOf = ({ payloads }: Listener) => payloads.map(({ record }) => record['note'])

describe('1, 4, 5: every acknowledged change is delivered once, for each record in commit order', () => {
  const writers = 12
  const changesEach = 15

  /** Returns the acknowledged changes of one record, in order. */
  async function write(n: number): Promise<unknown[]> {
    const record = await tenant.insert({ status: `writer ${n}`, n: 0 })
    const versions: Fields[] = [record]
    for (let version = 1; version < changesEach; version++) {
      versions.push(await change(record, { n: version }))
    }
    return versions
  }

  const versionsOf = (payloads: readonly EventPayload[]) =>
    Map.groupBy(payloads, ({ record }) => record['id'])

  it('with many records written at once', async () => {
    const listener = await world.listen(tenant)
    const answered = await Promise.all(Array.from({ length: writers }, (_, n) => write(n)))
    await listener.arrived(writers * changesEach)
    await listener.log((all) => all.every(({ status }) => status === 'delivered'))
    const inOrderOfArrival = listener.receipts.map(({ body }) => JSON.parse(body) as EventPayload)
    expect(inOrderOfArrival).toHaveLength(writers * changesEach)
    const byRecord = versionsOf(inOrderOfArrival)
    for (const versions of answered) {
      const [first] = versions as Fields[]
      expect(byRecord.get(first?.id)?.map(({ record }) => record)).toEqual(versions)
    }
  })

  it('when several writers change a record at once', async () => {
    const listener = await world.listen(tenant)
    const record = await tenant.insert({ n: 0 })
    const answered = await Promise.all(
      Array.from({ length: 30 }, (_, n) => change(record, { n: n + 1 })),
    )
    await listener.arrived(31)
    const committed = [record, ...answered].toSorted((a, b) =>
      a.updatedAt.localeCompare(b.updatedAt),
    )
    const arrived = listener.receipts.map(({ body }) => (JSON.parse(body) as EventPayload).record)
    expect(arrived).toEqual(committed)
  })
})

describe('2: an acknowledged subscription applies to the next change', () => {
  const rounds = 25

  it('POST: it misses no change', async () => {
    for (let round = 0; round < rounds; round++) {
      const listener = await world.listen(tenant, { filter: { n: round } })
      await tenant.insert({ n: round })
      await listener.arrived(1)
    }
  })

  it('each change is matched with the subscription at its commit, however late', async () => {
    const [matcher] = world.system.services['webhook-matcher']
    const patched = await world.listen(tenant, { filter: { note: 'before' } })
    const paused = await world.listen(tenant)
    const ended = await world.listen(tenant)
    await matcher?.kill('SIGSTOP')
    let later: Listener
    try {
      await tenant.insert({ note: 'before' })
      expectStatus(200, await manage(`PATCH /${patched.id}`, { filter: { note: 'after' } }))
      expectStatus(200, await manage(`PATCH /${paused.id}`, { active: false }))
      expectStatus(204, await manage(`DELETE /${ended.id}`))
      later = await world.listen(tenant)
      await tenant.insert({ note: 'before' })
      await tenant.insert({ note: 'after' })
    } finally {
      await matcher?.kill('SIGCONT')
    }
    await later.arrived(2)
    await patched.arrived(2)
    expect(notesOf(later)).toEqual(['before', 'after'])
    expect(notesOf(patched)).toEqual(['before', 'after'])
    expectStatus(200, await manage(`PATCH /${paused.id}`, { active: true }))
    await tenant.insert({ note: 'last' })
    await paused.arrived(2)
    expect(notesOf(paused)).toEqual(['before', 'last'])
    expect(ended.receipts).toEqual([])
  })

  it('PATCH: each field counts for the next change', async () => {
    const listener = await world.listen(tenant, { active: false })
    const control = await world.listen(tenant)
    const expected: string[] = []
    let inserted = 0
    for (let round = 0; round < rounds / 3; round++) {
      for (const [note, fields, matches] of [
        [`active ${round}`, { active: true }, true],
        [`other event ${round}`, { events: ['UPDATE'] }, false],
        [`event ${round}`, { events: ['INSERT'] }, true],
        [`other filter ${round}`, { filter: { note: 'x' } }, false],
        [`filter ${round}`, { filter: { note: `filter ${round}` } }, true],
        [`other table ${round}`, { filter: null, table: 'invoices' }, false],
        [`table ${round}`, { table: 'orders' }, true],
        [`inactive ${round}`, { active: false }, false],
      ] as const) {
        expectStatus(200, await manage(`PATCH /${listener.id}`, fields))
        await tenant.insert({ note })
        if (matches) expected.push(note)
        inserted++
      }
    }
    await control.arrived(inserted)
    expectStatus(200, await manage(`PATCH /${listener.id}`, { active: true }))
    await tenant.insert({ note: 'last' })
    await listener.arrived(expected.length + 1)
    expect(notesOf(listener)).toEqual([...expected, 'last'])
  })

  it('DELETE: nothing new is matched', async () => {
    const gone: Listener[] = []
    for (let round = 0; round < rounds; round++) {
      const listener = await world.listen(tenant)
      await tenant.insert({ note: `${round}` })
      await listener.arrived(1)
      expectStatus(204, await manage(`DELETE /${listener.id}`))
      gone.push(listener)
    }
    const control = await world.listen(tenant)
    await tenant.insert({ note: 'last' })
    await control.arrived(1)
    expect(gone.map(notesOf)).toEqual(gone.map((_, round) => [`${round}`]))
  })

  it('PATCH url: the next change goes to the new one only', async () => {
    const listener = await world.listen(tenant)
    const paths = Array.from({ length: rounds }, (_, round) => `${listener.path}/${round}`)
    for (const [round, path] of paths.entries()) {
      expectStatus(200, await manage(`PATCH /${listener.id}`, { url: world.receiver.url(path) }))
      await tenant.insert({ n: round })
      await world.receiver.waitFor(path, 1)
    }
    const counts = paths.map((path) => world.receiver.receipts(path).length)
    expect(counts).toEqual(paths.map(() => 1))
    expect(listener.receipts).toEqual([])
  })
})

describe('7: a tenant slows down only itself', () => {
  it('when its receiver hangs, and it makes many changes', async () => {
    const slow = await world.tenant()
    const answers = Promise.withResolvers<void>()
    const hanging = await world.listen(slow, {}, async () => {
      await answers.promise
      return { status: 204 }
    })
    const records = Array.from({ length: 300 }, (_, n) => ({ n }))
    expectStatus(201, await slow.rest('POST orders', records))
    await hanging.arrived(1)
    // Enough for one of them to share a partition with the hanging one.
    const listeners = await Promise.all(Array.from({ length: 8 }, () => world.listen(tenant)))
    for (let n = 1; n <= 20; n++) {
      await tenant.insert({ n })
      await Promise.all(listeners.map((listener) => listener.arrived(n)))
    }
    // Its first attempt has not ended yet, so no delivery waited for it.
    expect(hanging.receipts).toHaveLength(1)
    answers.resolve()
    await hanging.arrived(records.length)
  })
})
