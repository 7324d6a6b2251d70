import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { typeNames } from './type-names.ts'
import { type TypedTable, writeTypes } from './write-types.ts'

type Column = TypedTable['columns'][number]
const column = (name: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  name,
  type,
  required: false,
  unique: false,
  default: null,
  ...more,
})

const orders: TypedTable = {
  name: 'orders',
  columns: [
    column('total', 'decimal', { required: true }),
    column('status', 'text', { required: true, default: 'new' }),
    column('n', 'integer'),
    column('tags', 'json'),
  ],
}
const awkward: TypedTable[] = ['records', 'new_orders', 'picks', 'tables', 'partials', 'jsons'].map(
  (name) => ({ name, columns: [] }),
)

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

it('compiles strictly, and means what the API takes and answers', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'surehook-types-'))
  try {
    await writeFile(join(dir, 'types.ts'), writeTypes([orders, ...awkward]))
    await writeFile(join(dir, 'uses.ts'), uses)
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
    expect(stdout).toBe('')
  } finally {
    await rm(dir, { recursive: true })
  }
})

it('does not depend on the order of tables and columns', () => {
  const others = [...awkward].toReversed()
  const turned = { ...orders, columns: orders.columns.toReversed() }
  expect(writeTypes([...others, turned])).toBe(writeTypes([orders, ...awkward]))
})

it('writes a file without tables', () => {
  expect(writeTypes([])).toContain('export type Tables = {}')
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
