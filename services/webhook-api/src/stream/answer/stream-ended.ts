/** Why a stream ended. Clients see it in a last comment. */
export const endReasons = [
  'client',
  'shutdown',
  'access',
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
