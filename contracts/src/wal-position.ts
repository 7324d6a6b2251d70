/**
 * Kafka header of a relayed record: the WAL position of its commit. It orders the commits of two
 * services in one cluster, independent of clocks.
 */
export const walPositionHeader = 'wal-position'

/**
 * Kafka header of a relayed record. All subscription states that were committed before the record
 * have a lower position and were on their topic before the record was sent. A reader that has since
 * read that topic to its end need not do so again for records with the same position.
 */
export const statesPositionHeader = 'states-position'

/** The PostgreSQL cluster, by the system id of its control file, and its WAL timeline in hex. */
export type WalOrigin = { systemId: string; timeline: string }

/** Formats `<system id>/<timeline>/<lsn>`. Within one cluster the texts sort like the positions. */
export function formatWalPosition({ systemId, timeline }: WalOrigin, lsn: bigint): string {
  return `${systemId}/${timeline.padStart(8, '0')}/${lsn.toString(16).padStart(16, '0')}`
}

/** True if `a` was committed before `b`, or `null` if they come from different clusters. */
export function isBefore(a: string, b: string): boolean | null {
  const [systemOfA] = a.split('/', 1)
  return b.startsWith(`${systemOfA}/`) ? a < b : null
}

type Headers = { readonly [name: string]: Buffer | string | (Buffer | string)[] | undefined }

/** Returns `null` for a record without a position, which no relay sent. */
export const walPositionOf = (headers: Headers | undefined): string | null =>
  positionIn(headers, walPositionHeader)

/** Returns `null` when the relay did not know the position. */
export const statesPositionOf = (headers: Headers | undefined): string | null =>
  positionIn(headers, statesPositionHeader)

function positionIn(headers: Headers | undefined, name: string): string | null {
  const value = headers?.[name]
  if (value === undefined || Array.isArray(value)) return null
  const text = value.toString()
  return wellFormed.test(text) ? text : null
}

const wellFormed = /^\d{1,20}\/[0-9a-fA-F]{8}\/[0-9a-f]{16}$/
