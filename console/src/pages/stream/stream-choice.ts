import type { Violation } from '@surehook/client'
import { filterIn } from '../../parts/filter/model/filter-text.ts'
import { type Operation, operations } from '../webhook-form/draft.ts'

/** What the form holds, as it was typed. */
export type StreamChoice = {
  table: string
  events: readonly Operation[]
  from: string
  filter: string
}

export const emptyChoice: StreamChoice = { table: '', events: operations, from: '', filter: '' }

/** The options of the stream as JSON, and what is wrong with them. All operations need no name. */
export function askedOf(choice: StreamChoice): { asked: string; violations: Violation[] } {
  const { table, from } = choice
  const events = operations.filter((one) => choice.events.includes(one))
  const { filter, violations } = filterIn(choice.filter, 'filter')
  const options = {
    ...(table && { table }),
    ...(events.length < operations.length && { events }),
    ...(from && { from }),
    ...(filter && { filter }),
  }
  const none = events.length === 0 ? [{ field: 'events', message: 'must be at least one' }] : []
  return { asked: JSON.stringify(options), violations: [...none, ...violations] }
}
