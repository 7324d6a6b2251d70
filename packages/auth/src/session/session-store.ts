import type { PublicUser } from '../generated/types.gen.ts'
import { parseObject } from '../parse-object.ts'
import type { Scope } from '../storage/open-storage.ts'
import type { TolerantStorage } from '../storage/tolerant-storage.ts'
import type { EndReason } from './changes.ts'
import { isNewer, isSame, type Session, sessionIn } from './session.ts'

/**
 * The session of this tab. The storage decides, because other tabs write it too. But a browser may
 * show a write of another tab late (WebKit bug 225344), so what this tab learned of its session by
 * messages wins if it is newer: an old refresh token would end the session.
 */
export class SessionStore {
  readonly #storage: TolerantStorage
  readonly #key: string
  readonly #scope: Scope
  #newest: Session | null = null
  #isSaved = true
  readonly #ended = new Map<string, EndReason>()

  constructor(storage: TolerantStorage, key: string, scope: Scope) {
    this.#storage = storage
    this.#key = key
    this.#scope = scope
  }

  /** The newest tokens that this tab has seen. */
  get newest(): Session | null {
    return this.#newest
  }

  async read(): Promise<Session | null> {
    const value = parseObject(await this.#storage.get(this.#key))
    // `end` wrote the reason, in this tab or in another one.
    if (value?.['reason']) this.#ended.set(String(value['id']), value['reason'] as EndReason)
    const stored = sessionIn(value)
    const known = this.#newest
    const isBehind = known !== null && stored !== null && isNewer(known, stored)
    const session = isBehind || !this.#isSaved ? known : stored
    this.#newest = session !== null && this.#ended.has(session.id) ? null : session
    return this.#newest
  }

  /** Resolves with the session that this one replaced. */
  async start(session: Session): Promise<Session | null> {
    const before = await this.read()
    await this.#save(session)
    return before
  }

  /**
   * Replaces `before`, unless it was replaced or ended in the meantime. Resolves with the session
   * that is current then.
   */
  async rotate(before: Session, after: Session): Promise<Session | null> {
    const current = await this.read()
    if (!isSame(current, before)) return current
    await this.#save(after)
    return after
  }

  async end({ id }: Pick<Session, 'id'>, reason: EndReason): Promise<void> {
    const current = await this.read()
    this.#ended.set(id, reason)
    if (current?.id !== id) return
    this.#newest = null
    this.#isSaved = true
    // Tells other tabs why, if they see this before the message.
    const isKept = await this.#storage.set(this.#key, JSON.stringify({ id, reason }))
    if (!isKept) await this.#storage.remove(this.#key)
    await this.#storage.remove(this.#userKey)
  }

  /** Takes what another tab got. It wrote a shared storage itself. */
  async adopt(session: Session): Promise<void> {
    const current = await this.read()
    if (current === null || !isNewer(session, current)) return
    this.#newest = session
    if (this.#scope === 'copied') await this.#save(session)
  }

  async adoptEnd(id: string, reason: EndReason): Promise<void> {
    if (this.#scope === 'copied') await this.end({ id }, reason)
    else this.#ended.set(id, reason)
  }

  endOf(session: Session | null): EndReason {
    return this.#ended.get(session?.id ?? '') ?? 'logout'
  }

  /** A key of its own, because a tab that wrote the session for this might undo a refresh. */
  async saveUser({ id }: Session, user: PublicUser): Promise<void> {
    await this.#storage.set(this.#userKey, JSON.stringify({ id, user }))
  }

  async userOf({ id, user }: Session): Promise<PublicUser> {
    const changed = parseObject(await this.#storage.get(this.#userKey))
    return changed?.['id'] === id ? (changed['user'] as PublicUser) : user
  }

  get #userKey(): string {
    return `${this.#key} user`
  }

  async #save(session: Session): Promise<void> {
    this.#newest = session
    // Until then the storage holds the one before.
    this.#isSaved = false
    this.#isSaved = await this.#storage.set(this.#key, JSON.stringify(session))
  }
}
