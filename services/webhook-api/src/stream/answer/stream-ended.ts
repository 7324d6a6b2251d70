/**
 * The reasons for the end of a stream. A client that still reads gets its reason in a last comment.
 */
export const endReasons = [
  'client',
  'shutdown',
  'access',
  'crowded',
  'stalled',
  'expired',
  'log_lost',
  'failed',
] as const

export type EndReason = (typeof endReasons)[number]

export class StreamEnded extends Error {
  override readonly name = 'StreamEnded'
  readonly reason: EndReason

  constructor(reason: EndReason) {
    super(reason)
    this.reason = reason
  }
}
