import { expect, it } from '@jest/globals'
import { type Output, print, showDone, showRows, tableOf } from './shown.ts'
import { timeCell } from './times.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

function printed(
  shown: Output,
  { json = false, columns }: { json?: boolean; columns?: number | undefined } = {},
): string[] {
  const lines: string[] = []
  print(shown, { json, columns, out: (line) => void lines.push(line) })
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
  expect(printed(shown)).toEqual(['id   x', 'a    1', 'bcd  1'])
  expect(printed(shown, { json: true })).toEqual(['{"id":"a"}', '{"id":"bcd"}'])
  const none = showRows('records', [], () => ({}))
  expect(printed(none)).toEqual(['no records'])
  expect(printed(none, { json: true })).toEqual([])
})

it('prints one value as one JSON document', () => {
  const shown = showDone('it is done', { id: 'a' })
  expect(printed(shown)).toEqual(['it is done'])
  expect(JSON.parse(printed(shown, { json: true }).join('\n'))).toEqual({ id: 'a' })
})

const tableLines = (rows: Parameters<typeof tableOf>[0], columns?: number) =>
  printed({ value: rows, lines: [tableOf(rows)] }, { columns })

it('aligns rows with different columns', () => {
  const rows = [{ a: '1' }, { b: '22', a: '333' }]
  expect(tableLines(rows)).toEqual(['a    b', '1    -', '333  22'])
})

it('fits a table into the lines of a terminal', () => {
  const rows = [
    { made: '1d ago', next: '-', event: '019aa6b1', delivery: '019aa6b1-4c1e' },
    { made: '1h ago', next: '-', event: '019bb7c2', delivery: '019bb7c2-5d2f' },
  ]
  expect(tableLines(rows, 43)[1]).toBe('1d ago  -     019aa6b1  019aa6b1-4c1e')
  expect(tableLines(rows, 32)).toEqual([
    'made    event     delivery',
    '1d ago  019aa6b1  019aa6b1-4c1e',
    '1h ago  019bb7c2  019bb7c2-5d2f',
  ])
  expect(tableLines(rows, 20)).toEqual([
    'made    event',
    '  delivery',
    '1d ago  019aa6b1',
    '  019aa6b1-4c1e',
    '1h ago  019bb7c2',
    '  019bb7c2-5d2f',
  ])
  // An id is never cut: somebody copies it.
  expect(tableLines(rows, 5)).toContain('  019aa6b1-4c1e')
})
