import type { WalMessage, WalPlugin } from '@surehook/change-capture/relay/wal-decoder'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { decodePgoutput, type PgoutputMessage } from './pgoutput.ts'

/** A message that cannot be decoded. What follows it must not be confirmed. */
type Unreadable = { tag: 'unreadable'; reason: Error }

/** A message inside a transaction, or one that belongs to none. */
export type RowContent = {
  message: Exclude<PgoutputMessage, { tag: 'begin' | 'commit' }> | Unreadable
  /** When the transaction was committed, in ms since the epoch. */
  committedAt: number
}

/** Reads the rows of a publication, and the messages that applications wrote into the WAL. */
export class RowsPlugin implements WalPlugin<RowContent> {
  readonly name = 'pgoutput'
  readonly options: { publication: string }
  #committedAt = 0

  constructor(options: { publication: string }) {
    this.options = options
  }

  start(...[client, slot, lsn]: Parameters<WalPlugin<RowContent>['start']>): Promise<unknown> {
    // The option is a list of identifiers: an unquoted one would be read in lower case.
    const publications = escapeLiteral(escapeIdentifier(this.options.publication))
    return client.query(
      `START_REPLICATION SLOT ${escapeIdentifier(slot)} LOGICAL ${lsn} (proto_version '1', publication_names ${publications}, messages 'true')`,
    )
  }

  parse(buffer: Buffer): WalMessage<RowContent> | null {
    const message = decoded(buffer)
    if (message === null || message.tag === 'commit') return message
    if (message.tag !== 'begin') {
      return { tag: 'content', content: { message, committedAt: this.#committedAt } }
    }
    this.#committedAt = message.committedAt
    return message
  }
}

/** Does not throw: the library calls it in an event handler of the socket. */
function decoded(buffer: Buffer): PgoutputMessage | Unreadable | null {
  try {
    return decodePgoutput(buffer)
  } catch (err) {
    return { tag: 'unreadable', reason: err instanceof Error ? err : new Error(String(err)) }
  }
}
