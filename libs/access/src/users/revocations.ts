import type { SessionRevocation } from '@surehook/contracts/events/session-revocation'
import type { AccessClaims } from '@surehook/token-verifier'

const deleteEveryMs = 60_000

type SessionBound = { minGeneration: number; expiresAt: number }

/** The access tokens that are refused before they expire, from the topic `auth.revocations`. */
export class Revocations {
  readonly #bySession = new Map<string, SessionBound>()
  readonly #now: () => number
  #sweptAt = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Applies the next record of the topic. A record never lowers or shortens a session's bound,
   * because a refused token must stay refused.
   */
  apply(sessionId: string, revocation: SessionRevocation | null): void {
    if (revocation === null) this.#bySession.delete(sessionId)
    else this.#raise(sessionId, revocation)
    this.#deleteExpired()
  }

  isRevoked({ sid, gen }: Pick<AccessClaims, 'sid' | 'gen'>): boolean {
    const known = this.#bySession.get(sid)
    return known !== undefined && gen < known.minGeneration
  }

  get size(): number {
    return this.#bySession.size
  }

  #raise(sessionId: string, revocation: SessionRevocation): void {
    const known = this.#bySession.get(sessionId)
    const minGeneration = Math.max(revocation.minGeneration, known?.minGeneration ?? 0)
    const expiresAt = Math.max(Date.parse(revocation.expiresAt), known?.expiresAt ?? 0)
    if (expiresAt > this.#now()) this.#bySession.set(sessionId, { minGeneration, expiresAt })
  }

  #deleteExpired(): void {
    const now = this.#now()
    if (now - this.#sweptAt < deleteEveryMs) return
    this.#sweptAt = now
    for (const [sessionId, { expiresAt }] of this.#bySession) {
      if (expiresAt <= now) this.#bySession.delete(sessionId)
    }
  }
}
