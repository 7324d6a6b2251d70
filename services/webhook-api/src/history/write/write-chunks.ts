import { halvesOf } from '@surehook/service-kit/halves'

/** The limits of one statement; a single larger item is allowed. */
export type ChunkLimits = { items: number; bytes: number }

export const chunkLimits: ChunkLimits = { items: 1_000, bytes: 4 * 1024 * 1024 }

/** Packs groups into chunks in order. A group is never split. */
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

/** Writes the items in one statement, or by halves if PostgreSQL refuses them together. */
export async function writeByHalves<Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await write(items)
  } catch (err) {
    if (items.length <= 1 || !mayPassByHalves(err)) throw err
    for (const half of halvesOf(items)) await writeByHalves(half, write)
  }
}

/** Returns the code of an error from PostgreSQL or the network, or an empty text. */
export const codeOf = (err: unknown): string =>
  err instanceof Error && 'code' in err ? String(err.code) : ''

/**
 * SQLSTATEs that depend on the rows of a statement (PostgreSQL, appendix A). It was cancelled or
 * waited too long for a lock (57014, 55P03), needs too much memory (53200), or a row breaks a
 * constraint, a limit or PostgreSQL itself (classes 23, 54, P0, XX).
 */
const dependsOnRows = /^(?:57014|55P03|53200|(?:23|54|P0|XX)...)$/

/** Of these, those that say something about the row, not about locks, time or memory. */
const aboutTheRow = /^(?:23|54|P0|XX)...$/

/** Returns whether PostgreSQL refuses the row of a statement with one row. */
export const refusesRow = (err: unknown): boolean => aboutTheRow.test(codeOf(err))

/** Returns whether fewer rows may succeed. A failed connection does not depend on the statement. */
export function mayPassByHalves(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  return dependsOnRows.test(codeOf(err)) || err.message === 'Query read timeout'
}
