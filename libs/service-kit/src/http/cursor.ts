import * as z from 'zod'
import { invalid } from '../errors.ts'

/** A time in a cursor. PostgreSQL has no year 0. */
export const CursorTime = z.iso.datetime().refine((text) => !text.startsWith('0000'))

/** The requested part of a list: at most `limit` rows after `cursor`. */
export type Page = { limit: number; cursor?: string | undefined }

/** Encodes the start of the next page as an opaque text. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/**
 * Returns the position of a cursor, or `null` if there is no cursor. Throws a violation of `cursor`
 * for malformed text.
 */
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

/** PostgreSQL cannot store NUL in text and rejects a query with one. */
function isStorable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStorable)
  if (typeof value !== 'string') return true
  return value.isWellFormed() && !value.includes('\0')
}

/**
 * Takes up to `limit + 1` rows. Returns the page, and the cursor of the next one if more rows
 * follow.
 */
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
