import { AppError, invalid } from '@surehook/service-kit/errors'

/** The headers `If-Match` and `If-None-Match`, as sent (RFC 9110, section 13.1). */
export type Preconditions = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined }

/**
 * A record at the time it was read or written, with the number of its table's columns at that time.
 */
export type StoredRecord = { readonly text: string; readonly columns: number }

/**
 * Returns the strong validator of a record. Every change raises `updatedAt` by at least 1 ms. A new
 * column changes the form of all records, and columns are never removed. `xmin` would change
 * without a change and wraps around. With a hash of the record, callers who may only write could
 * test guesses of its values.
 */
export function etagOf({ text, columns }: StoredRecord): string {
  // `updatedAt` is the last field of every record.
  const updatedAt = Date.parse(text.slice(-'2026-02-03T04:05:06.789Z"}'.length, -'"}'.length))
  return `"${updatedAt.toString(36)}.${columns.toString(36)}"`
}

/**
 * The states of a record, by `updatedAt`, that a write requires (`null`: any) and those that it
 * excludes.
 */
export type RecordStates = { only: string[] | null; never: string[] }

/** Returns `null` without preconditions. */
export function statesFor(
  { ifMatch, ifNoneMatch }: Preconditions,
  columns: number,
): RecordStates | null {
  if (ifMatch === undefined && ifNoneMatch === undefined) return null
  const wanted = readTags('If-Match', ifMatch)
  const held = readTags('If-None-Match', ifNoneMatch)
  // `If-None-Match: *` fails for every existing record.
  if (held === 'any') return { only: [], never: [] }
  const strong = wanted === 'any' ? null : wanted?.filter(({ weak }) => !weak)
  return {
    only: strong === undefined || strong === null ? null : timesOf(strong, columns),
    never: timesOf(held ?? [], columns),
  }
}

/**
 * Throws PRECONDITION_FAILED if the record does not match `If-Match`. The transport handles
 * `If-None-Match`.
 */
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

/**
 * Parses a list of entity tags (RFC 9110, sections 8.8.3 and 13.1). Returns `null` if the header is
 * absent.
 */
function readTags(header: string, value: string | undefined): Tag[] | 'any' | null {
  if (value === undefined) return null
  if (value.trim() === '*') return 'any'
  const tags = (value.match(list) ?? []).map((text) => text.trim()).filter((text) => text !== '')
  const parsed = tags.flatMap((text): Tag[] => {
    const [, weak, opaque] = tagForm.exec(text) ?? []
    return opaque === undefined ? [] : [{ weak: weak !== undefined, opaque }]
  })
  if (parsed.length > 0 && parsed.length === tags.length) return parsed
  throw invalid([
    { field: header, message: 'must be "*" or entity tags in quotes', rule: 'invalid_format' },
  ])
}

const ownForm = /^(-?[0-9a-z]{1,11})\.([0-9a-z]{1,4})$/
const maxTime = 8.64e15

function timesOf(tags: readonly Tag[], columns: number): string[] {
  return tags.flatMap(({ opaque }) => {
    const [, time = '', shown = ''] = ownForm.exec(opaque) ?? []
    const ms = Number.parseInt(time, 36)
    const isOurs = Number.parseInt(shown, 36) === columns && Math.abs(ms) <= maxTime
    // PostgreSQL reads only years of four digits.
    const text = isOurs ? new Date(ms).toISOString() : ''
    return /^\d{4}-/.test(text) ? [text] : []
  })
}
