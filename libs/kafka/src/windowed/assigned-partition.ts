import type { GroupCommit } from '../offsets/group-commits.ts'
import type { CommitPosition, Range, Taken } from '../offsets/offset-tracker.ts'
import { decodeNote, OffsetTracker } from '../offsets/offset-tracker.ts'
import { FairShare, type Window } from './fair-share.ts'
import { TenantBacklog } from './tenant-backlog.ts'

/** It may also wait in the log because its tenant holds its share already. */
export type PartitionTaken = Taken | 'waits'

type Held = { tenant: string; bytes: number }

/** Of an assigned partition whose window is not shared all messages are of one tenant. */
const nobody = () => ''
/** The commit's metadata holds 4,000: while so many are in use nobody overtakes any further. */
const backlogIsFarAt = 3_000

/** One topic-partition that this process owns: what is open, how much memory it holds. */
export class AssignedPartition {
  readonly topic: string
  readonly partition: number
  /** Aborted when the partition is taken away or the consumer stops. */
  readonly lease: AbortSignal
  readonly #revoked = new AbortController()
  readonly #tracker: OffsetTracker
  /** Offsets below it were finished before this process owned the partition. */
  readonly committed: number
  /** The end of the log when the partition was assigned. */
  readonly endAtStart: number
  /** Finished here since what the last successful commit covers. */
  uncommitted = 0
  /** Who waits for room, when the window is shared by tenants. */
  readonly backlog: TenantBacklog | null
  readonly #held = new Map<number, Held>()
  readonly #shares: FairShare
  /** What the owner before has noted with its commit. */
  readonly note: Uint8Array | null
  /** What is noted with each commit of ours. */
  noteOf: () => Uint8Array | null = () => null
  readonly #logStart: number
  #next: number
  #metadataLength = 0
  /** The end of the log when it was read last. */
  end: number
  /** The offset at which a batch began that came too early. */
  aheadAt = -1
  /** Since reading back ended something was read for those who do not wait. */
  mayGoBack = true
  paused = false
  dirty = false
  /**
   * The finished offsets above the commit no longer fit into its metadata, or few open ones keep very
   * many: the oldest open one must move.
   */
  crowded = false

  constructor(at: {
    topic: string
    partition: number
    committed: number
    /** The first offset that the log still has; that of the commit when absent. */
    logStart?: number
    metadata: string | null
    end: number
    /** What it may hold, to be shared by tenants; absent: whoever comes first has it. */
    shared?: Window | undefined
  }) {
    this.topic = at.topic
    this.partition = at.partition
    this.committed = at.committed
    this.endAtStart = at.end
    this.end = at.end
    this.note = decodeNote(at.metadata)
    this.#logStart = at.logStart ?? at.committed
    this.#next = Math.max(at.committed, this.#logStart)
    this.#tracker = new OffsetTracker(at.committed, at.metadata)
    this.lease = this.#revoked.signal
    this.#shares = new FairShare(at.shared ?? { messages: 0, bytes: 0 })
    this.backlog = at.shared === undefined ? null : new TenantBacklog(this.#shares)
  }

  get held(): number {
    return this.#held.size
  }

  get heldBytes(): number {
    return this.#shares.all.bytes
  }

  get open(): number {
    return this.#tracker.open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#tracker.low
  }

  /** The first offset that was never read here. */
  get next(): number {
    return this.#next
  }

  /** The first offset that was skipped and not read since; null when there is none. */
  get skippedFrom(): number | null {
    const { skipped } = this.#tracker
    return skipped && Math.max(skipped.next, this.#logStart)
  }

  /** Begins at `offset`; what is below is read later. To be called before anything was read. */
  skipTo(offset: number): void {
    this.#tracker.skipTo(offset)
    this.#next = Math.max(this.#next, offset)
  }

  /** All that was skipped has been read. */
  endSkipped(): void {
    this.#tracker.endSkipped()
    this.dirty = true
  }

  /** What a batch that begins at `first` may not begin behind: what is between would count as a gap. */
  latestBegin(first: number): number {
    const { skippedFrom } = this
    if (skippedFrom !== null && first < (this.#tracker.skipped?.end ?? 0)) return skippedFrom
    return this.backlog?.position ?? this.#next
  }

  /** All messages of a tenant below it were handed out, or finished before. */
  handedOutBelow(tenant: string): number {
    return Math.min(this.#next, this.backlog?.waitingFrom(tenant) ?? this.#next)
  }

  /** See the tracker's. */
  gapsToClose(): Range[] {
    return this.#tracker.gapsToClose()
  }

  /** What is finished above the commit nearly fills its metadata: reading on must wait for it. */
  get backlogIsFar(): boolean {
    return this.#metadataLength > backlogIsFarAt
  }

  /** @param tenantOf whose message it is */
  take(offset: number, bytes: number, tenantOf: () => string = nobody): PartitionTaken {
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

  /** The message stays open but no longer counts as held in memory. */
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

  /** Whether it knows all that the commit says: nobody else has finished anything of it since. */
  covers({ offset, metadata }: GroupCommit): boolean {
    return this.#tracker.covers(offset, metadata)
  }

  revoke(reason: string): void {
    this.#revoked.abort(reason)
  }

  #hold(offset: number, held: Held): void {
    this.#held.set(offset, held)
    this.#shares.hold(held.tenant, held.bytes)
  }
}
