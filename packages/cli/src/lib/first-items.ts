const largestPage = 200

/** Reads the first `most` items of all pages. `iterate` gets the size of a page. */
export async function firstItems<Item>(
  most: number,
  iterate: (page: { limit: number }) => AsyncIterable<Item>,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const items: Item[] = []
  // One item more shows whether there are more.
  for await (const item of iterate({ limit: Math.min(most + 1, largestPage) })) {
    if (items.length === most) return { items, hasMore: true }
    items.push(item)
  }
  return { items, hasMore: false }
}
