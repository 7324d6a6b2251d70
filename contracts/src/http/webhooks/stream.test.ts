import { expect, it } from '@jest/globals'
import { streamChanges, streamLimits } from './stream.ts'

const named = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`)
const parse = (table: string) => streamChanges.query.safeParse({ table })

it('takes 20 tables, each of them once', () => {
  const tables = named(streamLimits.tables)
  expect(parse([...tables, ...tables].join(',')).data?.table).toEqual(tables)
})

it.each([
  ['21 tables', named(21)],
  ['tables without end', named(5_000)],
])('refuses %s', (_, tables) => {
  const { error } = parse(tables.join(','))
  expect(new Set(error?.issues.map(({ path }) => path.join('.')))).toEqual(new Set(['table']))
})

it('takes 20 tables with the longest names', () => {
  const tables = named(20).map((name) => name.padEnd(63, '_'))
  expect(parse(tables.join(',')).data?.table).toEqual(tables)
})
