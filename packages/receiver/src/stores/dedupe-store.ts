/**
 * Remembers which deliveries were handled. Every method takes the id of a delivery. Two processes
 * may call `claim` at the same time: exactly one of them gets `claimed`.
 */
export type DedupeStore = {
  /**
   * Reserves `id` for `token` until `leaseMs` are over. Resolves with `claimed`, with `done` if it
   * was completed, or with `busy` while the reservation of another token counts.
   */
  claim(id: string, token: string, leaseMs: number): Promise<'claimed' | 'done' | 'busy'>
  /** Remembers that `id` was handled. */
  complete(id: string): Promise<void>
  /** Ends the reservation of `token`, so that the next attempt is handled. */
  release(id: string, token: string): Promise<void>
}
