import type { Target } from './target.ts'

/** Copies of a topic, and so brokers, with which the loss of one broker's disk loses nothing. */
export const safeCopies = 3

/**
 * What an installation is asked for.
 * - `demanded`: three brokers, and topics with two of three copies written before an answer.
 * - `waived`: an operator asked for fewer copies by KAFKA_REPLICATION_FACTOR.
 * - `local`: a system of `npm start`, which has one broker.
 */
export type Durability = 'demanded' | 'waived' | 'local'

export function durabilityOf({ isLocal, env }: Pick<Target, 'isLocal' | 'env'>): Durability {
  if (isLocal) return 'local'
  const asked = env['KAFKA_REPLICATION_FACTOR']
  return asked && Number(asked) < safeCopies ? 'waived' : 'demanded'
}
