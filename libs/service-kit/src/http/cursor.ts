import * as z from 'zod'
import { invalid } from '../errors.ts'

/** A time in a cursor. PostgreSQL has no year 0. */
export const CursorTime = z.iso.datetime().refine((text) => !text.startsWith('0000'))

/** The part of a list that is asked for: at most `limit` rows behind `cursor`. */
export type Page = { limit: number; cursor?: string | undefined }

/** Where the next page begins, as text that a client passes back without looking into it. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The position in a cursor, or `null` when there is none; any other text is a violation of `cursor`. */
export function decodeCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.output<Schema> | null {
  if (cursor === undefined) return null
  const given = parsed(cursor)
  const position = schema.safeParse(given)
  if (position.success && isStorable(given)) return position.data
  const message = 'must be the nextCursor of an earlier answer'
  throw invalid([{ field: 'cursor', message, rule: 'invalid_cursor' }])
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** PostgreSQL keeps no NUL in text and fails when it is asked for one. */
function isStorable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStorable)
  if (typeof value !== 'string') return true
  return value.isWellFormed() && !value.includes('\0')
}

/** Of `limit + 1` rows asked for: the page, and the cursor of the next if there is one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => unknown,
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return { page, nextCursor: more ? encodeCursor(positionOf(last)) : null }
}
