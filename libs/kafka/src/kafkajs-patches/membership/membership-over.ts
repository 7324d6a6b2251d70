/** Errors with which the group refuses a commit of a membership that has ended. */
const overTypes = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])

/**
 * True if a commit failed because its membership has ended. No commit of that membership can then
 * succeed. A commit that fails because of a rebalance or a moving coordinator may still succeed.
 */
export function isMembershipOver(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  if (err instanceof MembershipOverError) return true
  if ('type' in err && overTypes.has(String(err.type))) return true
  return isMembershipOver(err.cause)
}

export class MembershipOverError extends Error {
  /** Makes kafkajs stop retrying. */
  readonly retriable = false
  constructor() {
    super('the membership in which this commit was begun is over')
  }
}
