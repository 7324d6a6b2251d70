import type { Target } from './target.ts'

/** Number of copies, and so of brokers, with which the loss of one broker's disk loses no data. */
export const safeCopies = 3

/**
 * Required durability of an installation.
 * - `demanded`: three brokers, and topics that write two of three copies before they acknowledge.
 * - `waived`: KAFKA_REPLICATION_FACTOR asks for fewer copies.
 * - `local`: a system of `npm start`, which has one broker.
 */
export type Durability = 'demanded' | 'waived' | 'local'

export function durabilityOf({ isLocal, env }: Pick<Target, 'isLocal' | 'env'>): Durability {
  if (isLocal) return 'local'
  const asked = env['KAFKA_REPLICATION_FACTOR']
  return asked && Number(asked) < safeCopies ? 'waived' : 'demanded'
}
