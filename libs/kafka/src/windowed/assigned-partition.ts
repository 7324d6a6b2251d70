import type { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { GroupCommit } from '../offsets/group-commits.ts'
import type { CommitPosition, MessageState, Range } from '../offsets/offset-tracker.ts'
import { decodeNote, OffsetTracker } from '../offsets/offset-tracker.ts'
import { FairShare, type Window } from './fair-share.ts'
import { TenantBacklog } from './tenant-backlog.ts'

/**
 * `waits`: the message stays in the log, because its tenant already has its share of the window.
 */
export type Admission = MessageState | 'waits'

type OpenMessage = { tenant: string; bytes: number }

/** Tenant of all messages of an assigned partition whose window is not shared. */
const noTenant = () => ''
/**
 * From this length of the commit's metadata on (its limit is 4,000 bytes), no further messages may
 * overtake the backlog.
 */
const backlogIsFarAt = 3_000

/** One partition of one topic that this process owns, with its open messages and their memory. */
export class AssignedPartition {
  readonly topic: string
  readonly partition: number
  /** Aborted when the partition is revoked or the consumer stops. */
  readonly lease: AbortSignal
  readonly #revoked = new AbortController()
  readonly #tracker: OffsetTracker
  /** Offsets below it were finished before this process owned the partition. */
  readonly committed: number
  /** True if the group has committed positions of other partitions of the topic, and none of this. */
  readonly isAdded: boolean
  /** End offset of the log when the partition was assigned. */
  readonly endAtStart: number
  /** Number of messages finished since the last successful commit. */
  uncommitted = 0
  /** Tenants that wait for room, if tenants share the window. */
  readonly backlog: TenantBacklog | null
  readonly #held = new Map<number, OpenMessage>()
  readonly #shares: FairShare
  /** Note that the previous owner stored with its commit. */
  readonly note: Uint8Array | null
  /** Returns the note to store with each commit. */
  noteOf: () => Uint8Array | null = () => null
  readonly #logStart: number
  #next: number
  #metadataLength = 0
  /** Offset of the last message that was postponed. Each one is postponed once. -1 if none was. */
  #postponedAt = -1
  /** Last known end offset of the log. */
  end: number
  /** First offset of a batch that arrived ahead of its turn. -1 if there is none. */
  aheadAt = -1
  /** True if other tenants have read something since the last reading back. */
  mayGoBack = true
  paused = false
  /** True while the next message stays in the log because it is not due soon. */
  isPostponed = false
  dirty = false
  /** False: its position is not committed yet, so that the next owner sees no commit either. */
  mayCommit = true
  /**
   * True when the finished offsets above the commit no longer fit into its metadata, or few open
   * ones hold back very many. The oldest open message must then be moved away.
   */
  crowded = false

  constructor(at: {
    topic: string
    partition: number
    committed: number
    /** Default: false. */
    isAdded?: boolean
    /** First offset that the log still has. Default: the committed offset. */
    logStart?: number
    metadata: string | null
    end: number
    /** Window that tenants share. Without it messages are admitted in order of arrival. */
    shared?: Window | undefined
    /** For the memory of all windows of the process. */
    budget?: MemoryBudget | undefined
  }) {
    this.topic = at.topic
    this.partition = at.partition
    this.committed = at.committed
    this.isAdded = at.isAdded ?? false
    this.endAtStart = at.end
    this.end = at.end
    this.note = decodeNote(at.metadata)
    this.#logStart = at.logStart ?? at.committed
    this.#next = Math.max(at.committed, this.#logStart)
    this.#tracker = new OffsetTracker(at.committed, at.metadata)
    this.lease = this.#revoked.signal
    this.#shares = new FairShare(at.shared ?? { messages: 0, bytes: 0 }, at.budget)
    this.backlog = at.shared === undefined ? null : new TenantBacklog(this.#shares)
  }

  get held(): number {
    return this.#held.size
  }

  get heldBytes(): number {
    return this.#shares.all.bytes
  }

  /** True if the process's budget is exhausted and this partition uses much of it. */
  get isOverBudget(): boolean {
    return this.#shares.isOverBudget
  }

  /** True if the process's budget has room for more of this partition. */
  get hasBudget(): boolean {
    return this.#shares.hasBudget
  }

  get open(): number {
    return this.#tracker.open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#tracker.low
  }

  /** First offset that was never read here. */
  get next(): number {
    return this.#next
  }

  /** First offset that was skipped and not read since, or null if there is none. */
  get skippedFrom(): number | null {
    const { skipped } = this.#tracker
    return skipped && Math.max(skipped.next, this.#logStart)
  }

  /** Starts reading at `offset`. Lower offsets are read later. Call it before the first read. */
  skipTo(offset: number): void {
    this.#tracker.skipTo(offset)
    this.#next = Math.max(this.#next, offset)
  }

  /** Notes that the skipped range has been read. */
  endSkipped(): void {
    this.#tracker.endSkipped()
    this.dirty = true
  }

  /**
   * Highest offset at which a batch from `first` may begin: offsets in between would count as gaps.
   */
  latestBegin(first: number): number {
    const { skippedFrom } = this
    if (skippedFrom !== null && first < (this.#tracker.skipped?.end ?? 0)) return skippedFrom
    return this.backlog?.position ?? this.#next
  }

  /** All messages of a tenant below this offset were handed out, or finished before. */
  handedOutBelow(tenant: string): number {
    return Math.min(this.#next, this.backlog?.waitingFrom(tenant) ?? this.#next)
  }

  /** See `OffsetTracker.gapsToClose`. */
  gapsToClose(): Range[] {
    return this.#tracker.gapsToClose()
  }

  /**
   * True if the finished offsets above the commit nearly fill its metadata, so that reading must
   * pause.
   */
  get backlogIsFar(): boolean {
    return this.#metadataLength > backlogIsFarAt
  }

  /**
   * Decides whether a message stays in the log for now.
   * @param waitMs returns the milliseconds until work on the message may begin
   * @param aheadMs a message that waits longer stays, until half of this time is left
   * @returns for how long it stays; 0 if that was decided before. Null: it must be read now
   */
  postponedMs(offset: number, waitMs: () => number, aheadMs: number): number | null {
    if (offset === this.#postponedAt) return this.isPostponed ? 0 : null
    if (offset < this.#next || this.#tracker.isFinished(offset)) return null
    const ms = waitMs()
    if (ms <= aheadMs) return null
    this.#postponedAt = offset
    return ms - aheadMs / 2
  }

  /** @param tenantOf returns the tenant of the message */
  take(offset: number, bytes: number, tenantOf: () => string = noTenant): Admission {
    if (offset >= this.#next) this.#next = offset + 1
    const taken = this.#tracker.take(offset)
    if (taken === 'finished') {
      this.dirty = true
      return taken
    }
    if (this.backlog === null) {
      if (taken === 'new') this.#hold(offset, { tenant: '', bytes })
      return taken
    }
    const tenant = tenantOf()
    if (!this.backlog.admits(tenant, offset, { isNew: taken === 'new' })) return 'waits'
    this.#hold(offset, { tenant, bytes })
    return 'new'
  }

  finish(offset: number): void {
    this.detach(offset)
    this.#tracker.finish(offset)
    this.uncommitted++
    this.dirty = true
  }

  /** Keeps the message open but no longer counts it as held in memory. */
  detach(offset: number): void {
    const held = this.#held.get(offset)
    if (held === undefined) return
    this.#held.delete(offset)
    this.#shares.release(held.tenant, held.bytes)
  }

  position(): CommitPosition {
    const position = this.#tracker.position(this.noteOf())
    this.crowded = !position.complete || this.#tracker.sparse
    this.#metadataLength = position.metadata.length
    return position
  }

  /**
   * True if it includes everything that the commit declares finished, so that no other member has
   * had the partition.
   */
  covers({ offset, metadata }: GroupCommit): boolean {
    return this.#tracker.covers(offset, metadata)
  }

  revoke(reason: string): void {
    this.#shares.close()
    this.#revoked.abort(reason)
  }

  #hold(offset: number, held: OpenMessage): void {
    this.#held.set(offset, held)
    this.#shares.hold(held.tenant, held.bytes)
  }
}
