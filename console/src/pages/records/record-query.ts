import type { RecordQuery, Violation } from '@surehook/client'
import { jsonObjectIn } from '../../parts/forms/json-object.ts'

export const pageSize = 50
/** Ids grow with time, so the newest record is first. */
const newestFirst = '-id'

/** What the URL asks for. A filter that is not JSON is a fault of the page, not a call. */
export function recordQueryOf(params: URLSearchParams): {
  query: RecordQuery
  violations: Violation[]
} {
  const [where, order, cursor] = ['where', 'order', 'cursor'].map((name) => params.get(name) ?? '')
  const query: RecordQuery = {
    limit: pageSize,
    order: order || newestFirst,
    ...(cursor && { cursor }),
  }
  if (!where) return { query, violations: [] }
  const filter = jsonObjectIn(where)
  if ('fault' in filter) {
    return { query, violations: [{ field: 'where', message: 'must be a JSON object' }] }
  }
  return { query: { ...query, where: filter.value }, violations: [] }
}
