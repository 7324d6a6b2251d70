import type { RecordQuery, Violation } from '@surehook/client'

export const pageSize = 50

/** What the URL asks for. A filter that is not JSON is a fault of the page, not a call. */
export function recordQueryOf(params: URLSearchParams): {
  query: RecordQuery
  violations: Violation[]
} {
  const [where, order, cursor] = ['where', 'order', 'cursor'].map((name) => params.get(name) ?? '')
  const query: RecordQuery = {
    limit: pageSize,
    ...(order && { order }),
    ...(cursor && { cursor }),
  }
  if (!where) return { query, violations: [] }
  const filter = filterIn(where)
  if (filter === null) {
    return { query, violations: [{ field: 'where', message: 'must be a JSON object' }] }
  }
  return { query: { ...query, where: filter }, violations: [] }
}

function filterIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
