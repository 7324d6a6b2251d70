import { AppError, invalid } from '@surehook/service-kit/errors'

/** The headers by which a request is only meant for some states of a record, as they were sent. */
export type Preconditions = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined }

/** A record as it was read or written, with the number of its table's columns by then. */
export type StoredRecord = { readonly text: string; readonly columns: number }

/**
 * The strong validator of a record: every change of it raises `updatedAt` by at least a millisecond, and a column that
 * is added changes how all records are shown; columns are never taken away. `xmin` would change without a change and
 * wrap around. A hash of the record would let callers who may only write test guesses of its values.
 */
export function etagOf({ text, columns }: StoredRecord): string {
  // `updatedAt` is the last field of every record.
  const updatedAt = Date.parse(text.slice(-'2026-02-03T04:05:06.789Z"}'.length, -'"}'.length))
  return `"${updatedAt.toString(36)}.${columns.toString(36)}"`
}

/** By `updatedAt`: which states of a record a write is for (`null`: any), and which it is not for. */
export type RecordStates = { only: string[] | null; never: string[] }

/** `null` without preconditions. */
export function statesFor(
  { ifMatch, ifNoneMatch }: Preconditions,
  columns: number,
): RecordStates | null {
  if (ifMatch === undefined && ifNoneMatch === undefined) return null
  const wanted = readTags('If-Match', ifMatch)
  const held = readTags('If-None-Match', ifNoneMatch)
  // Whatever the record's state, it is one that the client does not expect.
  if (held === 'any') return { only: [], never: [] }
  const strong = wanted === 'any' ? null : wanted?.filter(({ weak }) => !weak)
  return {
    only: strong === undefined || strong === null ? null : timesOf(strong, columns),
    never: timesOf(held ?? [], columns),
  }
}

/** Whether a record that is read is one that `If-Match` is for; `If-None-Match` is the transport's business. */
export function requireMatch({ ifMatch }: Preconditions, record: StoredRecord): void {
  const wanted = readTags('If-Match', ifMatch)
  if (wanted === null || wanted === 'any') return
  const etag = etagOf(record)
  if (!wanted.some(({ weak, opaque }) => !weak && `"${opaque}"` === etag)) throw changedMeanwhile()
}

export const changedMeanwhile = () =>
  new AppError('PRECONDITION_FAILED', 'The record is not in the state that the request is for')

type Tag = { weak: boolean; opaque: string }

const tagForm = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/
const list = /(?:[^,"]|"[^"]*")+/g

/** RFC 9110, 8.8.3 and 13.1; `null` without the header. */
function readTags(header: string, value: string | undefined): Tag[] | 'any' | null {
  if (value === undefined) return null
  if (value.trim() === '*') return 'any'
  const tags = (value.match(list) ?? []).map((text) => text.trim()).filter((text) => text !== '')
  const parsed = tags.flatMap((text): Tag[] => {
    const [, weak, opaque] = tagForm.exec(text) ?? []
    return opaque === undefined ? [] : [{ weak: weak !== undefined, opaque }]
  })
  if (parsed.length > 0 && parsed.length === tags.length) return parsed
  throw invalid([{ field: header, message: 'must be "*" or entity tags in quotes' }])
}

const ownForm = /^(-?[0-9a-z]{1,11})\.([0-9a-z]{1,4})$/
const maxTime = 8.64e15

function timesOf(tags: readonly Tag[], columns: number): string[] {
  return tags.flatMap(({ opaque }) => {
    const [, time = '', shown = ''] = ownForm.exec(opaque) ?? []
    const ms = Number.parseInt(time, 36)
    const isOurs = Number.parseInt(shown, 36) === columns && Math.abs(ms) <= maxTime
    // PostgreSQL reads years of four digits.
    const text = isOurs ? new Date(ms).toISOString() : ''
    return /^\d{4}-/.test(text) ? [text] : []
  })
}
