import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fieldTypes } from '@surehook/contracts/filter/filter'
import { type Client } from '@surehook/scripts/client/call'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let running: Running
let client: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  client = clientOf(running.api, await world.tenant())
  await client.call('PUT _tables/anything', {
    columns: fieldTypes.map((type) => ({ name: `a_${type}`, type, unique: type === 'text' })),
  })
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\0', '\ud800', "'", '"', '\\', '{', ',', 'NULL'),
  ),
})
const digits = fc.string({ unit: fc.constantFrom(...'0123456789-.e+ '.split('')), maxLength: 24 })
const year = fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0'))
const two = fc.integer({ min: 0, max: 61 }).map((n) => String(n).padStart(2, '0'))
const date = fc.tuple(year, two, two).map((parts) => parts.join('-'))
const offset = fc.constantFrom('Z', '', '+02:00', '-1200', '+14:00', '+23:59', '+24:00')
const time = fc
  .tuple(date, two, two, two, offset)
  .map(([day, h, m, s, zone]) => `${day}T${h}:${m}:${s}${zone}`)
const realTime = fc
  .date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((at) => at.toISOString())
const value = fc.oneof(
  ...[text, digits, date, time, realTime, fc.uuid(), fc.double(), fc.integer(), fc.boolean()],
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.maxSafeInteger(),
  fc.constantFrom(1e308, 5e-324, -0, 2 ** 31, -(2 ** 31), null, 'NaN', 'Infinity', 'now', 'true'),
  fc.jsonValue({ maxDepth: 4 }),
)
const names = fieldTypes.map((type) => `a_${type}`)
const wellFormed = fc
  .string({ unit: 'binary', maxLength: 500 })
  .map((given) => given.toWellFormed().replaceAll('\0', ''))
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const fitting = fc.record(
  {
    a_text: wellFormed,
    a_integer: fc.integer(),
    a_bigint: fc.oneof(fc.maxSafeInteger(), int64.map(String)),
    a_double: fc.double(),
    a_decimal: fc.oneof(
      fc.integer(),
      fc.tuple(int64, fc.bigInt({ min: 0n })).map(([whole, part]) => `${whole}.${part}`),
    ),
    a_boolean: fc.boolean(),
    a_timestamp: realTime,
    a_date: realTime.map((at) => at.slice(0, 10)),
    a_uuid: fc.uuid(),
    a_json: fc.oneof(wellFormed, fc.jsonValue({ maxDepth: 3 })),
  },
  { requiredKeys: [] },
)
const junk = fc.dictionary(
  fc.oneof(fc.constantFrom(...names, 'id', 'constructor', '__proto__'), text),
  value,
  { maxKeys: 3 },
)
const record = fc.oneof(
  fitting,
  fitting,
  junk,
  fc.tuple(fitting, junk).map(([one, other]) => ({ ...one, ...other })),
)

test("any input is accepted as a whole or refused with the field's name, without a 5xx", async () => {
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(record, record, async (first, second) => {
      const created = await client.call('POST anything', first)
      seen.add(created.status)
      expect([201, 400, 409]).toContain(created.status)
      if (created.status !== 201) {
        expect(created.body.violations?.length).toBeGreaterThan(0)
        return
      }
      const path = `anything/${created.body.id}`
      // Sending back the returned values changes nothing.
      const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = created.body
      const again = await client.call(`PATCH ${path}`, fields)
      expect([again.status, again.text]).toEqual([200, created.text])
      const changed = await client.call(`PATCH ${path}`, second)
      expect([200, 400, 409]).toContain(changed.status)
      expect((await client.call(`GET ${path}`)).text).toBe(
        changed.status === 200 ? changed.text : created.text,
      )
    }),
    { numRuns: propertyRuns(150) },
  )
  expect([...seen]).toEqual(expect.arrayContaining([201, 400]))
})

test("any list query is answered or refused with the parameter's name", async () => {
  const where = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json)),
    fc
      .dictionary(fc.constantFrom(...names, 'a_json.x', 'id', 'and', 'not'), value)
      .map((json) => JSON.stringify(json)),
    text,
  )
  const order = fc
    .array(fc.constantFrom(...names, '-a_text', 'id', '-createdAt', ''), { maxLength: 3 })
    .map((all) => all.join())
  const cursor = fc.oneof(
    text,
    fc
      .array(fc.option(text))
      .map((position) =>
        Buffer.from(JSON.stringify({ check: '', position })).toString('base64url'),
      ),
  )
  const query = fc.record(
    { where, order, cursor, limit: fc.integer({ min: -1, max: 201 }).map(String) },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const answer = await client.call(`GET anything?${new URLSearchParams(asked)}`)
      expect([200, 400]).toContain(answer.status)
      if (answer.status === 400) expect(answer.body.violations?.length).toBeGreaterThan(0)
    }),
    { numRuns: propertyRuns(150) },
  )
})
