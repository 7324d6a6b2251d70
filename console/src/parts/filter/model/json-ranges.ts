import { at } from './model-of.ts'

export type Range = { readonly from: number; readonly to: number }

type Frame = { path: string; isList: boolean; count: number; name: Name | null }
type Name = Range & { key: string }

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Where the parts of JSON text are, by the path that violations have. A part is a name with its
 * value. A value with parts of its own is marked by its name.
 */
export function jsonRanges(text: string): ReadonlyMap<string, Range> {
  const ranges = new Map<string, Range>()
  const open: Frame[] = []
  for (const { 0: part, index: from } of text.matchAll(token)) {
    const frame = open.at(-1)
    const to = from + part.length
    if (part === '{' || part === '[') {
      const path = frame === undefined ? '' : pathIn(frame)
      ranges.set(path, frame?.name ?? { from, to })
      open.push({ path, isList: part === '[', count: 0, name: null })
    } else if (part === '}' || part === ']') open.pop()
    else if (frame !== undefined) readPart(frame, { part, from, to }, ranges)
  }
  return ranges
}

const pathIn = ({ path, isList, name, count }: Frame): string =>
  at(path, isList ? count : (name?.key ?? ''))

function readPart(
  frame: Frame,
  { part, from, to }: Range & { part: string },
  ranges: Map<string, Range>,
): void {
  if (part === ':') return
  if (part === ',') {
    frame.count += 1
    frame.name = null
  } else if (frame.isList) ranges.set(pathIn(frame), { from, to })
  else if (frame.name === null) frame.name = { from, to, key: keyIn(part) }
  else ranges.set(pathIn(frame), { from: frame.name.from, to })
}

function keyIn(part: string): string {
  try {
    return String(JSON.parse(part))
  } catch {
    // The text is not JSON yet. The editor marks that itself.
    return part
  }
}
