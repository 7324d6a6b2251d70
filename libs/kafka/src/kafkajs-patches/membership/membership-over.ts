/** How the group refuses a commit of a membership that it has ended. */
const overTypes = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])

/**
 * Whether a commit failed because its membership is over: then none of that membership can succeed any
 * more. One that fails because a rebalance has begun, or the coordinator moves, may.
 */
export function isMembershipOver(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  if (err instanceof MembershipOverError) return true
  if ('type' in err && overTypes.has(String(err.type))) return true
  return isMembershipOver(err.cause)
}

export class MembershipOverError extends Error {
  /** What tells kafkajs to try no further. */
  readonly retriable = false
  constructor() {
    super('the membership in which this commit was begun is over')
  }
}
