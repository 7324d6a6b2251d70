import type { Violation } from '@surehook/client'
import { pathBelow } from './faults.ts'
import { jsonRanges, type Range } from './json-ranges.ts'

/** A violation at its place in the text. */
export type Mark = Range & { line: number; path: string; message: string }

export function marksOf(
  text: string,
  { violations, root }: { violations: readonly Violation[]; root: string },
): Mark[] {
  const ranges = jsonRanges(text)
  return violations.flatMap(({ field, message }) => {
    const path = pathBelow(root, field)
    if (path === null) return []
    const { from, to } = nearestRange(path, ranges)
    return [{ from, to, line: lineOf(text, from), path, message }]
  })
}

/** The range of the path, or else of what contains it. */
function nearestRange(path: string, ranges: ReadonlyMap<string, Range>): Range {
  let within = path
  while (within !== '' && !ranges.has(within)) {
    within = within.slice(0, Math.max(0, within.lastIndexOf('.')))
  }
  return ranges.get(within) ?? { from: 0, to: 0 }
}

const lineOf = (text: string, from: number): number => text.slice(0, from).split('\n').length
