export type PageQuery = {
  /** Items per page. */
  limit?: number
  /** `nextCursor` of the page before. */
  cursor?: string
}

type Page = { nextCursor: string | null }

/** Iterates over the items of all pages. It asks for a page once its first item is wanted. */
export async function* itemsOf<Q extends PageQuery, P extends Page, Item>(
  list: (query: Q) => Promise<P>,
  itemsIn: (page: P) => readonly Item[],
  query: Q,
): AsyncGenerator<Item, void, undefined> {
  for (let asked = query; ; ) {
    const page = await list(asked)
    yield* itemsIn(page)
    if (page.nextCursor === null) return
    asked = { ...asked, cursor: page.nextCursor }
  }
}
