/** What one statement writes at most, but for a single item that is larger. */
export type ChunkLimits = { items: number; bytes: number }

export const chunkLimits: ChunkLimits = { items: 1_000, bytes: 4 * 1024 * 1024 }

/** Groups follow each other in chunks; a group is not divided. */
export function chunksOf<Item>(
  groups: readonly (readonly Item[])[],
  sizeOf: (item: Item) => number,
  limits: ChunkLimits = chunkLimits,
): Item[][] {
  const chunks: Item[][] = []
  let chunk: Item[] = []
  let bytes = 0
  for (const group of groups) {
    const size = group.reduce((sum, item) => sum + sizeOf(item), 0)
    const isFull = chunk.length + group.length > limits.items || bytes + size > limits.bytes
    if (chunk.length === 0 || isFull) {
      chunk = []
      bytes = 0
      chunks.push(chunk)
    }
    chunk.push(...group)
    bytes += size
  }
  return chunks
}

export function halvesOf<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter(({ length }) => length > 0)
}

/** Writes them at once, or by halves where that takes PostgreSQL too long. */
export async function writeByHalves<Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await write(items)
  } catch (err) {
    if (items.length <= 1 || !tookTooLong(err)) throw err
    for (const half of halvesOf(items)) await writeByHalves(half, write)
  }
}

/**
 * Whether the statement itself ran into a limit of time: the server's (query_canceled), that for a lock
 * (lock_not_available), or pg's own. A connection that cannot be had says nothing of the statement.
 */
export function tookTooLong(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const code = 'code' in err ? err.code : undefined
  return code === '57014' || code === '55P03' || err.message === 'Query read timeout'
}
