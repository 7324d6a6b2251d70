import { createHash } from 'node:crypto'
import { invalid } from '@surehook/service-kit/errors'
import { decodeCursor, encodeCursor } from '@surehook/service-kit/http/cursor'
import * as z from 'zod'
import type { OrderTerm, Position } from './record-order.ts'

const Content = z.strictObject({ check: z.string(), position: z.array(z.string().nullable()) })

/** The list of a cursor. A cursor is invalid for any other list. */
export type CursorScope = { tableId: string; order: readonly OrderTerm[] }

export function listCursor(scope: CursorScope, position: Position): string {
  return encodeCursor({ check: checkOf(scope, position), position })
}

/** Returns the position in a cursor that `listCursor` made for the same table and order. */
export function readListCursor(scope: CursorScope, cursor: string | undefined): Position | null {
  const content = decodeCursor(Content, cursor)
  if (content === null) return null
  const fits = content.position.length === scope.order.length
  if (fits && content.check === checkOf(scope, content.position)) return content.position
  throw invalid([
    { field: 'cursor', message: 'must be the nextCursor of the same list', rule: 'invalid_cursor' },
  ])
}

/**
 * A check against mistakes, not attackers: a forged position shows no more than its author may see
 * anyway.
 */
function checkOf({ tableId, order }: CursorScope, position: Position): string {
  const terms = order.map(({ field, descending }) => [field, descending])
  return createHash('sha256')
    .update(JSON.stringify([tableId, terms, position]))
    .digest('base64url')
    .slice(0, 12)
}
