import type { Io, OptionSpecs } from '../cli/command.ts'
import { countOf } from '../lib/input/option-values.ts'

export const limitOption = {
  limit: { type: 'string', value: 'count', default: '50', help: 'the most that are shown' },
} as const satisfies OptionSpecs

const largestPage = 200

/**
 * Reads the first items of all pages, up to `--limit`. Notes if there are more. `iterate` gets the
 * size of a page.
 */
export async function take<Item>(
  { limit }: { readonly limit: string },
  iterate: (page: { limit: number }) => AsyncIterable<Item>,
  { note }: Pick<Io, 'note'>,
): Promise<Item[]> {
  const most = countOf('limit', limit)
  const items: Item[] = []
  // One item more shows whether there are more.
  for await (const item of iterate({ limit: Math.min(most + 1, largestPage) })) {
    if (items.length === most) {
      note('there are more: --limit')
      break
    }
    items.push(item)
  }
  return items
}
