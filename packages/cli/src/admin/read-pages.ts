import { type OptionSpecs, UsageError } from '../cli/command.ts'

export const limitOption = {
  limit: { type: 'string', value: 'count', default: '1000', help: 'how many at most' },
} as const satisfies OptionSpecs

const largestPage = 200

type PageQuery = { limit: string; cursor: string | undefined }
type Page<Item> = { items: readonly Item[]; nextCursor: string | null }

/** Reads a list page by page, up to `limit` items. */
export async function readPages<Item>(
  limit: string,
  readPage: (query: PageQuery) => Promise<Page<Item>>,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const most = Number(limit)
  if (!Number.isInteger(most) || most < 1) throw new UsageError('--limit: a number from 1 on')
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const size = Math.min(largestPage, most - items.length)
    const page = await readPage({ limit: String(size), cursor })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && items.length < most)
  return { items, hasMore: cursor !== undefined }
}
