import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AccessAction, accessActions } from '@surehook/contracts/http/data/access'
import type { Answer, Client, Fields, Records } from '@surehook/scripts/client/call'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import { clientOf } from './support/client.ts'
import {
  conditions,
  type Input,
  type ModelAccess,
  type ModelAnswer,
  type ModelEntry,
  type ModelRule,
  type ModelUser,
  modelColumns,
  type Row,
  RulesModel,
} from './support/rules-model.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let manager: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  tenant = await world.tenant()
  manager = clientOf(running.api, tenant)
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const users: readonly ModelUser[] = [
  { id: randomUUID(), roles: ['a'] },
  { id: randomUUID(), roles: ['b', 'red'] },
  { id: randomUUID(), roles: ['a', 'b'] },
]
const userIndex = fc.nat({ max: users.length - 1 })

// Few values that are close to each other, so that rules often divide the records.
const values = {
  owner: fc.constantFrom(...users.map(({ id }) => id), null),
  team: fc.constantFrom('red', 'blue', null),
  level: fc.constantFrom(1, 2, null),
  note: fc.constantFrom('note-1', 'note-2', 'note-3', null),
  code: fc.constantFrom('code-1', 'code-2', 'code-3', 'code-4', null),
}
const input: fc.Arbitrary<Input> = fc.record(values, { requiredKeys: [] })
const oneField: fc.Arbitrary<Input> = fc
  .constantFrom(...modelColumns)
  .chain((name) => values[name].map((value) => ({ [name]: value })))

const role = fc.constantFrom('a', 'b', '*')
const someColumns = fc.option(fc.subarray([...modelColumns]))
const set = fc.constantFrom<Input>({}, { owner: '$user.id' }, { team: 'red' })

const entriesOf = (action: AccessAction): fc.Arbitrary<ModelEntry[]> => {
  const sends = action === 'create' || action === 'update'
  const rule: fc.Arbitrary<ModelRule> = fc.record({
    role,
    condition: fc.constantFrom(...conditions),
    columns: action === 'delete' ? fc.constant(null) : someColumns,
    set: sends ? set : fc.constant({}),
  })
  const entry = fc.oneof({ weight: 1, arbitrary: role }, { weight: 5, arbitrary: rule })
  return fc.uniqueArray(entry, {
    minLength: 1,
    maxLength: 3,
    selector: (of) => (typeof of === 'string' ? of : {}),
  })
}
const access: fc.Arbitrary<ModelAccess> = fc.record({
  read: entriesOf('read'),
  create: entriesOf('create'),
  update: entriesOf('update'),
  delete: entriesOf('delete'),
})

const anyStep = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    by: userIndex,
    inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('update' as const), by: userIndex, of: fc.nat({ max: 9 }), input }),
  fc.record({ kind: fc.constant('delete' as const), by: userIndex, of: fc.nat({ max: 9 }) }),
  fc.record({ kind: fc.constant('get' as const), by: userIndex, of: fc.nat({ max: 9 }) }),
  fc.record({
    kind: fc.constant('list' as const),
    by: userIndex,
    where: fc.oneof(fc.constant({}), oneField),
  }),
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

const written = (entry: ModelEntry): unknown => {
  if (typeof entry === 'string') return entry
  const { condition, columns, set: sets, ...rest } = entry
  return {
    ...rest,
    where: condition.where,
    ...(columns !== null && { columns }),
    ...(Object.keys(sets).length > 0 && { set: sets }),
  }
}

/** The values that a rule sets for this user. */
const boundTo = (of: ModelAccess, user: ModelUser): ModelAccess =>
  Object.fromEntries(
    accessActions.map((action) => [
      action,
      of[action].map((entry) => {
        if (typeof entry === 'string' || entry.set.owner === undefined) return entry
        return { ...entry, set: { ...entry.set, owner: user.id } }
      }),
    ]),
  ) as unknown as ModelAccess

const known = ({ createdAt: _c, updatedAt: _u, ...record }: Fields) => record

function expectAnswer(expected: ModelAnswer, answer: Answer<unknown>, body: unknown): void {
  if (expected.status === 409) {
    const named = (answer.body.violations ?? []).length > 0
    expect([answer.status, named]).toEqual([409, expected.named])
  } else if ('body' in expected)
    expect([answer.status, body]).toEqual([expected.status, expected.body])
  else expect([answer.status, answer.text]).toEqual([expected.status, expect.anything()])
}

/** A refusal holds no value that the request does not hold. */
function expectNoLeak(answer: Answer<unknown>, request: unknown): void {
  if (answer.status < 400) return
  const sent = JSON.stringify(request)
  const told = answer.text.match(/(?:note|code)-\d/g) ?? []
  expect(told.filter((value) => !sent.includes(value))).toEqual([])
}

test('users see, change and learn of a table only what its rules admit', async () => {
  const clients = await Promise.all(
    users.map(async ({ id, roles }) => {
      const token = await world.issuer.token(tenant, { sub: id, roles, ttlS: 3_600 })
      return clientOf(running.api, { ...tenant, token })
    }),
  )
  let number = 0
  const seen = new Map<number, number>()

  async function run(of: ModelAccess, seeds: Input[], steps: Step[]): Promise<void> {
    const table = `t${(number += 1)}`
    const columns = modelColumns.map((name) => ({
      name,
      type: name === 'level' ? 'integer' : name === 'owner' ? 'uuid' : 'text',
      unique: name === 'code',
    }))
    const definition = {
      columns,
      access: Object.fromEntries(accessActions.map((action) => [action, of[action].map(written)])),
    }
    const put = await manager.call(`PUT _tables/${table}`, definition)
    expect([put.status, put.text]).toEqual([200, expect.anything()])
    const models = users.map((user) => new RulesModel(boundTo(of, user)))
    const rows = new Map<string, Row>()
    const keep = (id: string, row: Omit<Row, 'id'>) => rows.set(id, { ...row, id })
    for (const seed of seeds) {
      const { status, body } = await manager.call(`POST ${table}`, seed)
      if (status === 201) keep(body.id, known(body) as Row)
    }
    for (const one of steps) {
      const client = clients[one.by]
      const user = users[one.by]
      const model = models[one.by]
      if (client === undefined || user === undefined || model === undefined)
        throw new Error('no user')
      model.rows.clear()
      for (const [id, row] of rows) model.rows.set(id, row)
      const answer = await act(table, { client, user, model }, one)
      rows.clear()
      for (const [id, row] of model.rows) rows.set(id, row)
      for (const [id, row] of answer.made) rows.set(id, row)
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    }
    const { body } = await manager.call<Records>(`GET ${table}?limit=200`)
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(body.records.map(known)).toEqual([...rows.values()].toSorted(byId))
  }

  await fc.assert(
    fc.asyncProperty(
      access,
      fc.array(input, { minLength: 2, maxLength: 5 }),
      fc.array(anyStep, { minLength: 4, maxLength: 12 }),
      run,
    ),
    { numRuns: propertyRuns(300) },
  )
  // The steps have met each kind of answer.
  expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([200, 201, 400, 403, 404, 409])
})

type Acting = {
  client: Client
  user: ModelUser
  model: RulesModel
}
type Acted = { status: number; made: Map<string, Row> }

async function act(table: string, { client, user, model }: Acting, step: Step): Promise<Acted> {
  const ids = [...model.rows.keys()].toSorted()
  const idOf = (index: number) => ids[index % Math.max(1, ids.length)] ?? randomUUID()
  const made = new Map<string, Row>()
  switch (step.kind) {
    case 'create': {
      const [only] = step.inputs
      const body = step.inputs.length === 1 ? only : step.inputs
      const answer = await client.call(`POST ${table}`, body)
      expectNoLeak(answer, body)
      const expected = model.create(user, step.inputs)
      if (!('made' in expected)) expectAnswer(expected, answer, undefined)
      else {
        const records = step.inputs.length === 1 ? [answer.body] : answer.list
        const views = expected.made.map((row, index) => {
          const whole = { ...row, id: records[index]?.id ?? '' }
          made.set(whole.id, whole)
          return model.view(whole, user) ?? { id: whole.id }
        })
        expect([answer.status, records.map(known)]).toEqual([201, views])
      }
      return { status: answer.status, made }
    }
    case 'update': {
      const id = idOf(step.of)
      const answer = await client.call(`PATCH ${table}/${id}`, step.input)
      expectNoLeak(answer, step.input)
      expectAnswer(model.update(user, id, step.input), answer, known(answer.body))
      return { status: answer.status, made }
    }
    case 'delete': {
      const id = idOf(step.of)
      const answer = await client.call(`DELETE ${table}/${id}`)
      expectNoLeak(answer, {})
      expectAnswer(model.delete(user, id), answer, known(answer.body))
      return { status: answer.status, made }
    }
    case 'get': {
      const id = idOf(step.of)
      const answer = await client.call(`GET ${table}/${id}`)
      expectNoLeak(answer, {})
      expectAnswer(model.get(user, id), answer, known(answer.body))
      return { status: answer.status, made }
    }
    case 'list': {
      const answer = await client.call<Records>(
        `GET ${table}?where=${encodeURIComponent(JSON.stringify(step.where))}`,
      )
      expectNoLeak(answer, step.where)
      const records = (answer.body.records ?? []).map(known)
      expectAnswer(model.list(user, step.where), answer, records)
      return { status: answer.status, made }
    }
  }
}
