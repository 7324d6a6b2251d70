import { describe, expect, it } from '@jest/globals'
import { compileFilter } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { AccessEntry, AccessRule } from '@surehook/contracts/http/data/access'
import type { Change } from '@surehook/matching/read-change'
import fc from 'fast-check'
import {
  ann,
  askedBy,
  type Column,
  changeOf,
  columns,
  type Row,
  tableWith,
  tenant,
  times,
} from '../../../test/support/user-views.ts'
import { type Selecting, selectionOf } from '../answer/stream-selection.ts'
import { userSelectionOf } from './user-selection.ts'
import { UserViews } from './user-views.ts'

/** The model of a rule: what a reader of docs/guides/own-records.md would do by hand. */
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

async function stream(rules: readonly AccessEntry[], selecting: Selecting = {}) {
  const views = new UserViews(askedBy(tableWith(rules)), ann)
  return userSelectionOf(tenant, selecting, { filters: undefined, views })
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

it('a stream with `list` keeps a copy equal to the filtered list, for users and management', async () => {
  const filters = fc.constantFrom<Selecting['filter'][]>({ team: 'red' }, { owner: { ne: 'bob' } })
  await fc.assert(
    fc.asyncProperty(entries, filters, steps, async (all, filter, changes) => {
      const parsed = parseFilter(filter ?? {})
      if (!parsed.ok) throw new Error('not a filter')
      const matches = compileFilter(parsed.filter)
      const selecting = { filter, list: true }
      const users = await stream(all, selecting)
      const management = await selectionOf(tenant, selecting, undefined)
      const rows = new Map<string, Row>()
      const [copy, full] = [new Map<string, unknown>(), new Map<string, unknown>()]
      for (const { id, to } of changes) {
        const before = rows.get(id) ?? null
        const after = to && { id, ...to }
        if (before === null && after === null) continue
        if (after === null) rows.delete(id)
        else rows.set(id, after)
        const change = changeOf(before, after, all)
        applyTo(copy, id, await users.of(change))
        applyTo(full, id, await management.of(change))
      }
      const shown = [...rows.values()].map((one) => cut(one, visible(all, one) ?? new Set()))
      const wanted = shown.filter(({ id, ...one }) => id !== undefined && matches(one, []))
      expect([...copy.values()]).toEqual(expect.arrayContaining(wanted))
      expect(copy.size).toBe(wanted.length)
      expect(new Set(full.keys())).toEqual(
        new Set([...rows.values()].filter((one) => matches(one, [])).map(({ id }) => id)),
      )
    }),
    { numRuns: 500 },
  )
})
