import type { WalPlace } from '@surehook/change-capture/relay/wal-decoder'
import { type RowOrigin, rowEventId } from '@surehook/contracts/ids'
import { type CatalogueFacts, canFollow, FollowedTable } from '../rows/followed-table.ts'
import { type RowChange, rowChanges } from '../rows/row-changes.ts'
import type { RelationMessage, RowMessage } from '../wal/pgoutput.ts'
import type { RowContent } from '../wal/rows-plugin.ts'

/** How a table of the source appears in the environment. */
export type Following = { table: string; exclude: ReadonlySet<string> }

export type WalChangesOptions = {
  origin: RowOrigin
  /** By OID, which a rename keeps. */
  following: ReadonlyMap<number, Following>
  /** Reads the catalogue as it is now: the WAL names no primary key. */
  facts: (oid: number) => Promise<CatalogueFacts>
  /** A table has these columns from here on. Its rows wait until the promise resolves. */
  onTable: (table: FollowedTable) => Promise<void>
  /** The rows of a followed table are left out from here on. */
  onUnfollowable: (table: string) => Promise<void>
  /** A relation that is not followed. If it throws, nothing from here on is confirmed. */
  onStranger: (message: RelationMessage) => void
}

/** What an event says of the transaction of a change. */
type OfTransaction = {
  id: string
  table: string
  /** In ms since the epoch. */
  committedAt: number
}

/** A change of a followed table. `requestId` is set by the application in its transaction. */
export type SourceChange = RowChange & OfTransaction & { requestId: string | null }

/** An application names its request with `pg_logical_emit_message(true, 'surehook.request', id)`. */
export const requestPrefix = 'surehook.request'

/**
 * Turns the messages of a slot into changes, in their order. It needs all messages of a transaction:
 * a slot begins each transaction again that was not confirmed.
 */
export class WalChanges {
  readonly #options: WalChangesOptions
  /** `null`: a table that nobody follows. */
  readonly #tables = new Map<number, FollowedTable | null>()
  #commit = -1n
  #requestId: string | null = null
  #lsn = ''
  #place = 0

  constructor(options: WalChangesOptions) {
    this.#options = options
  }

  /**
   * Call it with a relation message before the next message is read.
   */
  async setRelation(message: RelationMessage): Promise<void> {
    const { following, facts, onTable, onUnfollowable, onStranger } = this.#options
    const followed = following.get(message.oid)
    this.#tables.set(message.oid, null)
    if (followed === undefined) return onStranger(message)
    const of = { ...followed, facts: await facts(message.oid) }
    // The catalogue may have changed since: without its key a row has no id, and an excluded column
    // may have another name now.
    if (!canFollow(message, of)) return onUnfollowable(followed.table)
    const table = new FollowedTable(message, of)
    this.#tables.set(message.oid, table)
    await onTable(table)
  }

  /** The changes of a row. */
  ofRow(message: RowMessage, place: WalPlace, { committedAt }: RowContent): SourceChange[] {
    const table = this.#tables.get(message.oid)
    if (table === null) return []
    if (table === undefined) throw new Error(`Relation ${message.oid} has a row, but no columns`)
    const requestId = place.commit === this.#commit ? this.#requestId : null
    return rowChanges(table, message).map((change) => {
      const id = this.#idOf(place, message.oid, change.recordId)
      return { ...change, id, table: table.table, committedAt, requestId }
    })
  }

  /** Notes the request of the following changes of its transaction. */
  setRequest(requestId: string, { commit }: WalPlace): void {
    this.#commit = commit
    this.#requestId = requestId
  }

  /** The followed tables that a TRUNCATE emptied. */
  truncated(
    oids: readonly number[],
    place: WalPlace,
    { committedAt }: RowContent,
  ): OfTransaction[] {
    return oids.flatMap((oid) => {
      const table = this.#options.following.get(oid)?.table
      return table === undefined ? [] : [{ table, committedAt, id: this.#idOf(place, oid, '') }]
    })
  }

  #idOf({ lsn }: WalPlace, relationOid: number, recordId: string): string {
    this.#place = lsn === this.#lsn ? this.#place + 1 : 0
    this.#lsn = lsn
    const { origin } = this.#options
    return rowEventId({ ...origin, lsn, relationOid, recordId, place: this.#place })
  }
}
