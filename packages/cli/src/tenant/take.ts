import type { Io, OptionSpecs } from '../cli/command.ts'
import { firstItems } from '../lib/first-items.ts'
import { countOf } from '../lib/input/option-values.ts'

export const limitOption = {
  limit: { type: 'string', value: 'count', default: '50', help: 'the most that are shown' },
} as const satisfies OptionSpecs

/** Reads the first items of all pages, up to `--limit`. Notes if there are more. */
export async function take<Item>(
  { limit }: { readonly limit: string },
  iterate: (page: { limit: number }) => AsyncIterable<Item>,
  { note }: Pick<Io, 'note'>,
): Promise<Item[]> {
  const { items, hasMore } = await firstItems(countOf('limit', limit), iterate)
  if (hasMore) note('there are more: --limit')
  return items
}
