/**
 * Kafka header of a record that a relay made: where its commit stands in the WAL. What two services
 * wrote into one cluster has an order by it, whatever the clocks say.
 */
export const walPositionHeader = 'wal-position'

/**
 * Kafka header of a record that a relay made. Every state of a subscription that was committed before the record
 * stands before this position, and was on its topic before the record was sent: whoever has read that topic
 * to its end since need not do so again for records with the same position.
 */
export const statesPositionHeader = 'states-position'

/** The cluster that wrote, as its control file names it, and the timeline of its WAL in hex. */
export type WalOrigin = { systemId: string; timeline: string }

/** `<system id>/<timeline>/<lsn>`: of one cluster the texts compare as the positions do. */
export function formatWalPosition({ systemId, timeline }: WalOrigin, lsn: bigint): string {
  return `${systemId}/${timeline.padStart(8, '0')}/${lsn.toString(16).padStart(16, '0')}`
}

/** Whether `a` was committed before `b`; `null` when they are of different clusters. */
export function isBefore(a: string, b: string): boolean | null {
  const [systemOfA] = a.split('/', 1)
  return b.startsWith(`${systemOfA}/`) ? a < b : null
}

type Headers = { readonly [name: string]: Buffer | string | (Buffer | string)[] | undefined }

/** `null` for a record that no relay of ours made. */
export const walPositionOf = (headers: Headers | undefined): string | null =>
  positionIn(headers, walPositionHeader)

/** `null` when the relay does not know it. */
export const statesPositionOf = (headers: Headers | undefined): string | null =>
  positionIn(headers, statesPositionHeader)

function positionIn(headers: Headers | undefined, name: string): string | null {
  const value = headers?.[name]
  if (value === undefined || Array.isArray(value)) return null
  const text = value.toString()
  return wellFormed.test(text) ? text : null
}

const wellFormed = /^\d{1,20}\/[0-9a-fA-F]{8}\/[0-9a-f]{16}$/
