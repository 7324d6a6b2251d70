import type { Filter } from './filter.ts'

/** The JSON form of a filter: parsed again (with the same fields) it is the same filter. */
export function printFilter(filter: Filter): Record<string, unknown> {
  switch (filter.kind) {
    case 'and':
      return filter.of.length === 0 ? {} : { and: filter.of.map(printFilter) }
    case 'or':
      return { or: filter.of.map(printFilter) }
    case 'not':
      return { not: printFilter(filter.of) }
    case 'changed':
      return { changed: [...filter.fields] }
    case 'field':
      return { [filter.path.join('.')]: { [filter.op]: filter.operand } }
  }
}
