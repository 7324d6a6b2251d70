/**
 * Kafka header of a record that a relay made: where its commit stands in the WAL. What two services
 * wrote into one cluster has an order by it, whatever the clocks say.
 */
export const walPositionHeader = 'wal-position'

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
export function walPositionOf(headers: Headers | undefined): string | null {
  const value = headers?.[walPositionHeader]
  if (value === undefined || Array.isArray(value)) return null
  const text = value.toString()
  return wellFormed.test(text) ? text : null
}

const wellFormed = /^\d{1,20}\/[0-9a-fA-F]{8}\/[0-9a-f]{16}$/
