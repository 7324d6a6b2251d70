import { expect, it } from '@jest/globals'
import { type Output, print, showDone, showRows, tableOf } from './shown.ts'
import { timeCell } from './times.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

function printed(shown: Output, json: boolean): string[] {
  const lines: string[] = []
  print(shown, { json, out: (line) => void lines.push(line) })
  return lines
}

it.each([
  ['2026-11-25T11:59:18.113Z', '2026-11-25T11:59:18Z (41s ago)'],
  ['2026-11-25T09:59:00Z', '2026-11-25T09:59:00Z (2h ago)'],
  ['2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z (3d ago)'],
  ['2026-11-25T12:05:00Z', '2026-11-25T12:05:00Z (in 5m)'],
  [null, '-'],
])('shows %s exactly and relative to now', (iso, cell) => {
  expect(timeCell(iso, now)).toBe(cell)
})

it('prints a list as aligned rows, or as one line of JSON for each item', () => {
  const shown = showRows('records', [{ id: 'a' }, { id: 'bcd' }], ({ id }) => ({ id, x: '1' }))
  expect(printed(shown, false)).toEqual(['id   x', 'a    1', 'bcd  1'])
  expect(printed(shown, true)).toEqual(['{"id":"a"}', '{"id":"bcd"}'])
  const none = showRows('records', [], () => ({}))
  expect(printed(none, false)).toEqual(['no records'])
  expect(printed(none, true)).toEqual([])
})

it('prints one value as one JSON document', () => {
  const shown = showDone('it is done', { id: 'a' })
  expect(printed(shown, false)).toEqual(['it is done'])
  expect(JSON.parse(printed(shown, true).join('\n'))).toEqual({ id: 'a' })
})

it('aligns rows with different columns', () => {
  expect(tableOf([{ a: '1' }, { b: '22', a: '333' }])).toEqual(['a    b', '1    -', '333  22'])
})
