/** What the form holds, as it was typed. */
export type StreamChoice = { table: string; from: string; filter: string }

export const emptyChoice: StreamChoice = { table: '', from: '', filter: '' }

/** The options of the stream as JSON, or why its filter is none. */
export function askedOf(choice: StreamChoice): { asked: string; violation?: string } {
  const { table, from, filter } = choice
  const options = { ...(table && { table }), ...(from && { from }) }
  if (filter.trim() === '') return { asked: JSON.stringify(options) }
  try {
    return { asked: JSON.stringify({ ...options, filter: JSON.parse(filter) as unknown }) }
  } catch {
    return { asked: '{}', violation: 'must be a JSON object' }
  }
}
