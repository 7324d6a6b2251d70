import type { Violation } from '@surehook/client'
import { filterIn } from '../../parts/filter/model/filter-text.ts'

/** What the form holds, as it was typed. */
export type StreamChoice = { table: string; from: string; filter: string }

export const emptyChoice: StreamChoice = { table: '', from: '', filter: '' }

/** The options of the stream as JSON, and what is wrong with its filter. */
export function askedOf(choice: StreamChoice): { asked: string; violations: Violation[] } {
  const { table, from } = choice
  const { filter, violations } = filterIn(choice.filter, 'filter')
  const options = { ...(table && { table }), ...(from && { from }), ...(filter && { filter }) }
  return { asked: JSON.stringify(options), violations }
}
