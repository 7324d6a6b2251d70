import { describe, expect, it } from '@jest/globals'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { ChangeEvent } from '@surehook/contracts/events'
import { testedFields } from '@surehook/contracts/filter/tested-fields'
import type { AccessEntry, AccessRule } from '@surehook/contracts/http/data/access'
import type { UserValues } from '@surehook/contracts/http/user-values'
import type { Change } from '@surehook/matching/read-change'
import { unavailable } from '@surehook/service-kit/errors'
import fc from 'fast-check'
import type { ReadableTable } from '../../tables/known-tables.ts'
import { userSelectionOf } from './user-selection.ts'
import { UserViews } from './user-views.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const columns = ['owner', 'team', 'secret'] as const
type Column = (typeof columns)[number]
type Row = { id: string } & Record<Column, string | null>

const ann = { tenant, id: 'ann', roles: ['staff', 'red'] }
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
const fieldTypes = new Map([
  ['id', 'text' as const],
  ['createdAt', 'timestamp' as const],
  ['updatedAt', 'timestamp' as const],
  ...columns.map((name) => [name, 'text' as const] as const),
])

const tableWith = (entries: readonly AccessEntry[]): ReadableTable => ({
  fields: fieldTypes,
  entries,
  createdAt: Date.parse(times.createdAt),
})

type State = {
  table: ReadableTable | undefined
  healthy: boolean
  /** What auth-service says of the user. */
  values: UserValues | null | Error
  forgotten: number
}

function viewsOn(table: ReadableTable | undefined) {
  const state: State = { table, healthy: true, values: null, forgotten: 0 }
  const tables = {
    get healthy() {
      return state.healthy
    },
    current: async () => undefined,
    readableOf: ({ table: name }: { table: string }) =>
      name === 'notes' ? state.table : undefined,
  }
  const users: UserValuesOf = {
    async of() {
      if (state.values instanceof Error) throw state.values
      return state.values
    },
    forget: () => void state.forgotten++,
  }
  return { state, views: new UserViews({ tables, users }, ann) }
}

/** The model of a rule: what a reader of docs/guides/data.md would do by hand. */
function rowAdmits({ role, where = {} }: AccessRule, row: Row): boolean {
  const applies = role === '*' || ann.roles.includes(role)
  const matches = (column: Column, wanted: unknown): boolean => {
    const value = row[column]
    if (wanted === '$user.id') return value === ann.id
    if (wanted === '$user.team') return false
    if (typeof wanted === 'object') return value !== null && ann.roles.includes(value)
    return value === wanted
  }
  return applies && Object.entries(where).every(([name, of]) => matches(name as Column, of))
}

/** The fields of the row that the user may read; `null` if it may not read the row. */
function visible(entries: readonly AccessEntry[], row: Row): Set<string> | null {
  const rules = entries.map((entry) => (typeof entry === 'string' ? { role: entry } : entry))
  const admitting = rules.filter((rule) => rowAdmits(rule, row))
  if (admitting.length === 0) return null
  const shown = admitting.flatMap(({ columns: only }) => only ?? columns)
  return new Set(['id', 'createdAt', 'updatedAt', ...shown])
}

const cut = (row: Row, fields: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries({ ...row, ...times }).filter(([name]) => fields.has(name)))

/** Makes the event as data-api does. */
function changeOf(before: Row | null, after: Row | null, entries: readonly AccessEntry[]): Change {
  const row = after ?? before
  if (row === null) throw new Error('nothing changed')
  const operation = before === null ? 'INSERT' : after === null ? 'DELETE' : 'UPDATE'
  const changed =
    before !== null && after !== null ? columns.filter((of) => before[of] !== after[of]) : []
  const tested = columns.filter((column) =>
    entries.some(
      (entry) => typeof entry !== 'string' && testedFields(entry.where ?? {}).has(column),
    ),
  )
  const hasPrevious = before !== null && changed.some((column) => tested.includes(column))
  const previous = tested.map((column) => [column, before?.[column]])
  const record = { ...row, ...times }
  const event: ChangeEvent = {
    ...tenant,
    id: '0199aaaa-0000-7000-8000-000000000000',
    timestamp: '2026-01-02T00:00:00.000Z',
    table: 'notes',
    recordId: row.id,
    operation,
    record: JSON.stringify(record),
    changedFields: [...changed],
    source: 'data-api',
    requestId: null,
    traceparent: null,
    previous: hasPrevious ? JSON.stringify(Object.fromEntries(previous)) : null,
  }
  return { event, record, walPosition: null, loggedAt: 0 }
}

const value = fc.constantFrom('ann', 'bob', 'red', 'blue', null)
const where = fc.constantFrom<AccessRule['where'][]>(
  { owner: '$user.id' },
  { team: 'red' },
  { team: { in: '$user.roles' } },
  { owner: 'bob', team: 'blue' },
  { team: '$user.team' },
  {},
  undefined,
)
const rule = fc
  .record({
    role: fc.constantFrom('*', 'staff', 'other'),
    where,
    columns: fc.option(fc.subarray([...columns]), { nil: undefined }),
  })
  .map(({ role, where: test, columns: only }) => ({
    role,
    ...(test && { where: test }),
    ...(only && { columns: only }),
  }))
const entries = fc.array(fc.oneof({ weight: 5, arbitrary: rule }, fc.constant('other')), {
  minLength: 1,
  maxLength: 3,
})
const row = fc.record({ owner: value, team: value, secret: value })
const steps = fc.array(
  fc.record({
    id: fc.constantFrom('1', '2'),
    to: fc.option(row, { nil: null, freq: 3 }),
    isPublished: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
)

async function stream(rules: readonly AccessEntry[]) {
  const { views } = viewsOn(tableWith(rules))
  return userSelectionOf(tenant, {}, { filters: undefined, views })
}

const contentOf = ({ event, select }: NonNullable<Awaited<ReturnType<typeof contentIn>>>) => {
  const fields = Object.entries(JSON.parse(event.record) as Record<string, unknown>)
  return Object.fromEntries(fields.filter(([name]) => select === null || select.has(name)))
}
const contentIn = async (selection: Awaited<ReturnType<typeof stream>>, change: Change) =>
  selection.of(change)

type SentChange = Awaited<ReturnType<typeof contentIn>>
type VisibleFields = ReadonlySet<string> | null

function applyTo(copy: Map<string, unknown>, id: string, sent: SentChange): void {
  if (sent?.event.operation === 'DELETE') copy.delete(id)
  else if (sent) copy.set(id, contentOf(sent))
}

function expectWithin(sent: NonNullable<SentChange>, was: VisibleFields, is: VisibleFields): void {
  const shown = new Set(['id', ...(is ?? [])])
  expect(Object.keys(contentOf(sent)).filter((name) => !shown.has(name))).toEqual([])
  const { changedFields } = sent.event
  expect(changedFields.filter((name) => !was?.has(name) || !is?.has(name))).toEqual([])
}

describe('the stream of a user', () => {
  it('keeps a copy equal to what the user may list, and shows nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(entries, steps, async (rules, all) => {
        const selection = await stream(rules)
        const rows = new Map<string, Row>()
        const copy = new Map<string, unknown>()
        for (const { id, to } of all) {
          const before = rows.get(id) ?? null
          const after = to && { id, ...to }
          if (before === null && after === null) continue
          const sent = await selection.of(changeOf(before, after, rules))
          if (after === null) rows.delete(id)
          else rows.set(id, after)
          applyTo(copy, id, sent)
          const was = before && visible(rules, before)
          const is = after && visible(rules, after)
          if (sent) expectWithin(sent, was, after === null ? was : is)
          expect(sent !== null).toBe(was !== null || is !== null)
          const list = [...rows.values()].flatMap((one) => {
            const fields = visible(rules, one)
            return fields === null ? [] : [[one.id, cut(one, fields)] as const]
          })
          expect(copy).toEqual(new Map(list))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('shows nothing outside the rules if earlier values are missing', async () => {
    const kept = fc.subarray([...columns])
    await fc.assert(
      fc.asyncProperty(entries, row, row, kept, async (rules, from, to, known) => {
        const selection = await stream(rules)
        const [before, after] = [
          { id: '1', ...from },
          { id: '1', ...to },
        ]
        const change = changeOf(before, after, rules)
        const previous = JSON.stringify(Object.fromEntries(known.map((name) => [name, from[name]])))
        const sent = await selection.of({ ...change, event: { ...change.event, previous } })
        const [was, is] = [visible(rules, before), visible(rules, after)]
        if (sent === null) return expect(is).toBeNull()
        const { operation, changedFields } = sent.event
        expect(changedFields.filter((name) => !was?.has(name) || !is?.has(name))).toEqual([])
        if (operation === 'DELETE') expect(was).not.toBeNull()
        expect(contentOf(sent)).toEqual(is === null ? { id: '1' } : cut(after, is))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a filter of the client', () => {
  const rules: AccessEntry[] = [
    { role: '*', where: { owner: '$user.id' } },
    { role: '*', where: { team: 'red' }, columns: ['team'] },
  ]
  const red = { id: '1', owner: 'bob', team: 'red', secret: 'x' }
  const sentWith = async (filter: Record<string, unknown>, change: Change) => {
    const { views } = viewsOn(tableWith(rules))
    return (await userSelectionOf(tenant, { filter }, { filters: undefined, views })).of(change)
  }

  it('does not test a column that is hidden in the record', async () => {
    const made = changeOf(null, red, rules)
    for (const secret of ['x', 'y']) {
      expect(await sentWith({ secret }, made)).toBeNull()
      expect(await sentWith({ secret: { ne: secret } }, made)).not.toBeNull()
    }
    expect(await sentWith({ team: 'red' }, made)).not.toBeNull()
  })

  it('does not test whether a hidden column changed', async () => {
    const changed = changeOf(red, { ...red, secret: 'y' }, rules)
    expect(await sentWith({ changed: ['secret'] }, changed)).toBeNull()
    const own = { ...red, owner: 'ann' }
    const ownChanged = changeOf(own, { ...own, secret: 'y' }, rules)
    expect(await sentWith({ changed: ['secret'] }, ownChanged)).not.toBeNull()
  })

  it('does not hold back the DELETE of a record that left the rules', async () => {
    const left = changeOf(red, { ...red, team: 'blue' }, rules)
    expect((await sentWith({ team: 'red' }, left))?.event.operation).toBe('DELETE')
  })

  it('may name only columns that some rule shows', async () => {
    const { views } = viewsOn(tableWith(rules.slice(1)))
    expect([...(await views.fieldsOf('notes')).keys()]).toEqual([
      ...['id', 'createdAt', 'updatedAt', 'team'],
    ])
  })
})

describe('the views of a user', () => {
  it('refuse a table that none of the roles may read, also an unknown one', async () => {
    for (const table of [undefined, tableWith(['other'])]) {
      const { views } = viewsOn(table)
      await expect(views.fieldsOf('notes')).rejects.toMatchObject({ code: 'FORBIDDEN' })
      expect(await views.of('notes')).toBeNull()
    }
  })

  it('end when the rules of a table change', async () => {
    const { views, state } = viewsOn(tableWith(['staff']))
    expect(await views.of('notes')).not.toBeNull()
    expect(views.isCurrent()).toBe(true)
    state.table = tableWith(['other'])
    expect(views.isCurrent()).toBe(false)
    await expect(views.of('notes')).rejects.toThrow('access')
  })

  it('are not current while the tables are not', async () => {
    const { views, state } = viewsOn(tableWith(['staff']))
    state.healthy = false
    expect(views.isCurrent()).toBe(false)
  })

  it('have no change of an earlier table of the same name', async () => {
    const { views } = viewsOn({ ...tableWith(['staff']), createdAt: Date.parse('2026-01-03') })
    const made = changeOf(null, { id: '1', owner: null, team: null, secret: null }, [])
    expect((await views.of('notes'))?.(made)).toBeNull()
  })
})

describe('the views of a user whose rule names an attribute', () => {
  const rules: AccessEntry[] = [{ role: '*', where: { team: '$user.team' } }]
  const north = { email: 'ann@shop.example', attributes: { team: 'north' } }
  const made = changeOf(null, { id: '1', owner: null, team: 'north', secret: null }, rules)
  const userEvent = (recordId: string): Change => ({
    ...made,
    event: { ...made.event, table: 'users', recordId },
  })

  async function begun() {
    const { state, views } = viewsOn(tableWith(rules))
    state.values = north
    const selection = await userSelectionOf(tenant, {}, { filters: undefined, views })
    expect(await selection.of(made)).not.toBeNull()
    return { state, selection }
  }

  it('end when the attribute changes, at the next change of any table', async () => {
    const { state, selection } = await begun()
    state.values = { ...north, attributes: { team: 'south' } }
    await expect(selection.of(made)).rejects.toMatchObject({ reason: 'access' })
  })

  it("ask anew at a change of the user, not at another user's", async () => {
    const { state, selection } = await begun()
    expect(await selection.of(userEvent('bob'))).toBeNull()
    expect(state.forgotten).toBe(0)
    expect(await selection.of(userEvent(ann.id))).toBeNull()
    expect(state.forgotten).toBe(1)
    state.values = null
    await expect(selection.of(userEvent(ann.id))).rejects.toMatchObject({ reason: 'access' })
  })

  it('end while auth-service does not answer', async () => {
    const { state, selection } = await begun()
    state.values = unavailable('away')
    await expect(selection.of(made)).rejects.toMatchObject({ reason: 'access' })
  })

  it('of a table without such a rule never ask', async () => {
    const { state, views } = viewsOn(tableWith(['staff']))
    state.values = unavailable('away')
    const selection = await userSelectionOf(tenant, {}, { filters: undefined, views })
    expect(await selection.of(userEvent(ann.id))).toBeNull()
    expect(await selection.of(made)).not.toBeNull()
    expect(state.forgotten).toBe(0)
  })
})
