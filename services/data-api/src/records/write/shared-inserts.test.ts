import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import type { KnownTable } from '../../tables/table-cache.ts'
import { createSharedStatements, type SharedTable } from '../sql/shared-statements.ts'
import { insertRules, type NewRow } from './shared-inserts.ts'

const tenant = { projectId: 'shop', environment: 'master' }

const table = (id: string, view?: KnownTable['view']) =>
  ({ definition: { id, version: 1 }, sql: {}, prepared: true, ...(view && { view }) }) as KnownTable

const row = (value: string): NewRow => ({ head: `head-${value}`, values: [value] })

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const settled = () => jest.advanceTimersByTimeAsync(0)

/** Statements that end when the test says so. */
function setUp() {
  const statements: {
    table: SharedTable
    values: (string | null | undefined)[]
    end: PromiseWithResolvers<string[]>
  }[] = []
  const inserts = createSharedStatements<NewRow>({
    ...insertRules,
    statement: (of, rows) => {
      const end = Promise.withResolvers<string[]>()
      statements.push({ table: of, values: rows.map(({ values }) => values[0]), end })
      return end.promise
    },
    enter: (_tenant, work) => work(),
    maxWaitMs: 3_000,
  })
  const insert = (value: string, of = table('1')) => {
    const inserted = inserts.run(tenant, of, row(value))
    inserted.catch(() => undefined)
    return inserted
  }
  /** Ends the statement at this position with its result. */
  const end = async (place: number) => {
    const { values, end: of } = statements[place] ?? { values: [] }
    of?.resolve(values.map(String))
    await settled()
  }
  return { statements, insert, end, values: () => statements.map((of) => of.values) }
}

describe('inserts of one record each', () => {
  test('run at once while there are few, and share the next statement while two are running', async () => {
    const { insert, end, values } = setUp()
    const all = ['a', 'b', 'c', 'd', 'e'].map((value) => insert(value))
    expect(values()).toEqual([['a'], ['b']])
    await end(0)
    expect(values()).toEqual([['a'], ['b'], ['c', 'd', 'e']])
    await end(1)
    await end(2)
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('are bounded in number and in size, and wait for their own table only', async () => {
    const { insert, end, values } = setUp()
    const large = 'x'.repeat(300_000)
    for (const value of ['a', 'b', large, large]) void insert(value)
    void insert('other', table('2'))
    for (let n = 0; n < 65; n++) void insert('s')
    await end(0)
    await end(1)
    const sizes = values().map(({ length }) => length)
    expect(sizes).toEqual([1, 1, 1, 1, 64])
    expect(values()[2]).toEqual(['other'])
  })

  test('show no caller the fields that only another may see', async () => {
    const { insert, statements } = setUp()
    void insert(
      'a',
      table('1', () => '{}'),
    )
    expect(statements[0]?.table).toEqual({ ...table('1') })
  })

  test('write nothing if the table has changed', async () => {
    const { insert, statements } = setUp()
    const inserted = insert('a')
    statements[0]?.end.resolve([])
    expect(await inserted).toBeNull()
  })
})

describe('an insert that is refused', () => {
  test('is refused alone: the others are inserted, and items run alone for a while', async () => {
    const { insert, end, statements, values } = setUp()
    const [, , ...shared] = ['a', 'b', 'c', 'd', 'e'].map((value) => insert(value))
    await end(0)
    statements[2]?.end.reject(new AppError('PAYLOAD_TOO_LARGE'))
    await settled()
    expect(values().slice(3)).toEqual([['c'], ['d'], ['e']])
    statements[4]?.end.reject(new AppError('PAYLOAD_TOO_LARGE'))
    await end(3)
    await end(5)
    const outcomes = await Promise.allSettled(shared)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])

    for (const value of ['f', 'g', 'h']) void insert(value)
    expect(values().slice(6)).toEqual([['f'], ['g'], ['h']])
    await jest.advanceTimersByTimeAsync(1_000)
    for (const value of ['i', 'j', 'k']) void insert(value)
    expect(values().slice(9)).toEqual([['i']])
  })

  test('is not repeated when it may have been written', async () => {
    const { insert, end, statements, values } = setUp()
    const [, , ...shared] = ['a', 'b', 'c', 'd'].map((value) => insert(value))
    await end(0)
    statements[2]?.end.reject(new Error('Connection terminated unexpectedly'))
    await settled()
    expect(values().length).toBe(3)
    await expect(Promise.all(shared)).rejects.toThrow('Connection terminated')
  })

  test('waits no longer than the longest wait for a connection', async () => {
    const { insert, end, values } = setUp()
    const [, , late] = ['a', 'b', 'c'].map((value) => insert(value))
    await jest.advanceTimersByTimeAsync(3_000)
    await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 })
    await end(0)
    expect(values()).toEqual([['a'], ['b']])
  })
})
