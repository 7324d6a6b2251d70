import type { PublicUser } from '../generated/types.gen.ts'

export type EndReason = 'logout' | 'expired'

/** What happened to the session, in this tab or in another one. */
export type AuthChange =
  | { type: 'signedIn'; user: PublicUser }
  | { type: 'refreshed'; user: PublicUser }
  /** `expired`: the service refuses the session, such as after a new password on another device. */
  | { type: 'signedOut'; reason: EndReason }
