import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import type { Table } from '@surehook/client'
import fc from 'fast-check'
import { allFields, fieldsOf } from './table-fields.ts'
import { typeNames } from './type-names.ts'
import { writeTypes } from './write-types.ts'

type Column = Table['columns'][number]
const column = (name: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  name,
  type,
  required: false,
  unique: false,
  default: null,
  ...more,
})

const orders = {
  name: 'orders',
  source: null,
  columns: [
    column('total', 'decimal', { required: true }),
    column('status', 'text', { required: true, default: 'new' }),
    column('n', 'integer'),
    column('tags', 'json'),
  ],
}
const awkward = ['records', 'new_orders', 'picks', 'tables', 'partials', 'jsons'].map((name) => ({
  name,
  source: null,
  columns: [] as Column[],
}))
const typesOf = (tables: readonly Pick<Table, 'name' | 'columns' | 'source'>[]) =>
  writeTypes(tables.map(allFields), { events: true })

const uses = `
import type { Surehook } from '@surehook/client'
import { createReceiver } from '@surehook/receiver'
import type { Order, NewOrder_ as NewOrder, OrderChanges, OrderEvent, Tables } from './types.ts'

declare const surehook: Surehook
const orders = surehook.table<Order, NewOrder>('orders')
const inserted: Promise<Order> = orders.create({ total: '1.50', status: 'paid' })
const updated: Promise<Order> = orders.update('id', { n: 1 })
// @ts-expect-error: no such column
orders.create({ total: '1', totl: '2' })
createReceiver<Order>({ secrets: 's', onEvent: ({ record }) => void record.total.length })

const created: NewOrder = { total: 12.5, tags: ['a', { b: null }] }
const changes: OrderChanges = { n: null }
declare const order: Order
const total: string = order.total
const n: number | null = order.n
declare const event: OrderEvent
const id: string = event.record.id
if (event.event === 'UPDATE') {
  const changed: keyof Order | undefined = event.changed_fields[0]
  void changed
}
declare const selected: OrderEvent<'id' | 'status'>
// @ts-expect-error: it was not selected
selected.record.total
// @ts-expect-error: every record needs it
const incomplete: NewOrder = {}
// @ts-expect-error: the platform gives it
const assigned: NewOrder = { total: '1', id: 'x' }
// @ts-expect-error: it is required, so nobody can clear it
const cleared: OrderChanges = { status: null }
const same: Tables['orders']['record'] = order
export { inserted, updated, created, changes, total, n, id, incomplete, assigned, cleared, same }
`

const tsc = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url))

const packageSource = (name: string): string =>
  fileURLToPath(new URL(`../../../${name}/src/index.ts`, import.meta.url))

/** Resolves with the faults that the compiler prints. */
async function compile(dir: string): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(tsc, ['-p', dir])
  } catch (err) {
    const { code, stdout } = err as { code: unknown; stdout: string }
    if (stdout === '' || ![1, 2].includes(Number(code))) throw err
    return { stdout }
  }
}

/** Resolves with what the compiler says about code that imports the types. */
async function faultsOf(types: string, code: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'surehook-types-'))
  try {
    await writeFile(join(dir, 'types.ts'), types)
    await writeFile(join(dir, 'uses.ts'), code)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      typeRoots: [fileURLToPath(new URL('../../../../node_modules/@types', import.meta.url))],
      paths: {
        '@surehook/client': [packageSource('client')],
        '@surehook/receiver': [packageSource('receiver')],
      },
    }
    const config = { compilerOptions, files: ['uses.ts', 'types.ts'] }
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(dir, 'package.json'), JSON.stringify({ type: 'module' }))
    const { stdout } = await compile(dir)
    return stdout
  } finally {
    await rm(dir, { recursive: true })
  }
}

it('compiles strictly, and means what the API takes and answers', async () => {
  expect(await faultsOf(typesOf([orders, ...awkward]), uses)).toBe('')
})

const own = { owner: '$user.id' }
const time = '2026-01-01T00:00:00.000Z'
const ruled: Table = {
  name: 'tasks',
  columns: [
    column('title', 'text', { required: true }),
    column('owner', 'uuid', { required: true }),
    column('note', 'text'),
    column('price', 'integer'),
  ],
  access: {
    read: [
      { role: '*', where: { public: true }, columns: ['title', 'owner'] },
      { role: 'clerk', where: own, columns: ['title', 'note'] },
    ],
    create: [{ role: '*', set: own }],
    update: [{ role: 'clerk', columns: ['note'] }],
    delete: [],
  },
  source: null,
  createdAt: time,
  updatedAt: time,
}

const usesOfRole = `
import type { Task, NewTask, TaskChanges, Tables } from './types.ts'
declare const task: Task
const title: string = task.title
const note: string | null | undefined = task.note
const owner: string | null | undefined = task.owner
// @ts-expect-error: no rule shows it
task.price
const created: NewTask = { title: 'a' }
// @ts-expect-error: the platform sets it
const sent: NewTask = { title: 'a', owner: 'b' }
const changes: TaskChanges = { note: null }
// @ts-expect-error: no rule lets the role change it
const changed: TaskChanges = { title: 'a' }
// @ts-expect-error: users get no webhooks
type Event = Tables['tasks']['event']
export type { Event }
export { title, note, owner, created, sent, changes, changed }
`

it('has only what a user with one role may read and send', async () => {
  const clerk = fieldsOf('clerk', ruled)
  expect(
    await faultsOf(writeTypes(clerk === null ? [] : [clerk], { events: false }), usesOfRole),
  ).toBe('')
})

it('has no type for what a role may not do, and no table that it may not use', () => {
  const guest = fieldsOf('guest', ruled)
  expect(guest).toMatchObject({ update: null })
  const text = writeTypes(guest === null ? [] : [guest], { events: false })
  expect(text).toContain('export type TaskChanges = never')
  const none = { read: ['clerk'], create: [], update: [], delete: [] }
  expect(fieldsOf('guest', { ...ruled, access: none })).toBeNull()
})

it('gives a role without a limit all columns, whatever other rules it has', () => {
  const access = { ...ruled.access, read: [...ruled.access.read, 'clerk'] }
  const fields = fieldsOf('clerk', { ...ruled, access })
  expect(fields?.read.every(({ isInAll }) => isInAll)).toBe(true)
  expect(fields?.read).toHaveLength(4)
})

it('does not depend on the order of tables and columns', () => {
  const others = [...awkward].toReversed()
  const turned = { ...orders, columns: orders.columns.toReversed() }
  expect(typesOf([...others, turned])).toBe(typesOf([orders, ...awkward]))
})

it('writes a file without tables', () => {
  expect(typesOf([])).toContain('export type Tables = {}')
})

it('gives no two types the same name', () => {
  const word = fc.constantFrom('order', 'orders', 'new', 'event', 'changes', 'a', 'pick', 'table')
  const table = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'))
  fc.assert(
    fc.property(fc.uniqueArray(table, { maxLength: 12 }), (tables) => {
      const names = [...typeNames(tables).values()].flatMap((each) => Object.values(each))
      expect(new Set(names).size).toBe(tables.length * 4)
    }),
  )
})

const ofSource: Table = {
  ...ruled,
  name: 'sales',
  source: { name: 'shop', relation: 'public.sales', exclude: [] },
  columns: [column('id', 'integer'), column('Card "number"', 'text')],
  access: { read: [], create: [], update: [], delete: [] },
}

const usesOfSource = `
import type { Sale, NewSale, SaleChanges, SaleEvent } from './types.ts'
declare const sale: Sale
const id: number | null = sale.id
const card: string | null = sale['Card "number"']
// @ts-expect-error: the platform adds no field
sale.createdAt
declare const event: SaleEvent
const inEvent: number | null = event.record.id
declare const none: [NewSale, SaleChanges]
const nobodyWrites: [never, never] = none
export default [id, card, inEvent, nobodyWrites]
`

it('writes the rows of a source as they are, and nothing to send', async () => {
  const text = writeTypes([allFields(ofSource)], { events: true })
  expect(await faultsOf(text, usesOfSource)).toBe('')
  expect(fieldsOf('*', ofSource)).toBeNull()
})
