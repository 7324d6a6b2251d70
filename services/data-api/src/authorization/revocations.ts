import type { SessionRevocation } from '@surehook/contracts/events'
import type { AccessClaims } from '@surehook/token-verifier'

const deleteEveryMs = 60_000

type Known = { minGeneration: number; expiresAt: number }

/** The access tokens that are refused before they expire, from the topic `auth.revocations`. */
export class Revocations {
  readonly #bySession = new Map<string, Known>()
  readonly #now: () => number
  #sweptAt = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Applies the next record of the topic. The last record of a session counts. */
  apply(sessionId: string, revocation: SessionRevocation | null): void {
    const expiresAt = Date.parse(revocation?.expiresAt ?? '')
    if (revocation === null || expiresAt <= this.#now()) this.#bySession.delete(sessionId)
    else this.#bySession.set(sessionId, { minGeneration: revocation.minGeneration, expiresAt })
    this.#deleteExpired()
  }

  isRevoked({ sid, gen }: Pick<AccessClaims, 'sid' | 'gen'>): boolean {
    const known = this.#bySession.get(sid)
    return known !== undefined && gen < known.minGeneration
  }

  get size(): number {
    return this.#bySession.size
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
