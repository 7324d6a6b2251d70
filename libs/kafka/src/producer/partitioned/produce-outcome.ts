import { createRequire } from 'node:module'

type ProtocolError = Error & { readonly type: string }

const internal = createRequire(import.meta.url)
const protocol = internal('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): ProtocolError
}

export const errorOfCode = (code: number): ProtocolError => protocol.createErrorFromCode(code)

/** Next step for a batch. `repeat` is for every error that may pass. */
export type ProduceOutcome =
  | { kind: 'acknowledged' }
  | { kind: 'unsendable' | 'renumber' | 'repeat'; error: ProtocolError }

const unsendable = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'POLICY_VIOLATION',
])
const numbersLost = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'UNKNOWN_PRODUCER_ID',
])
/** The broker already has this batch and newer ones. */
const alreadyThere = 'DUPLICATE_SEQUENCE_NUMBER'

/** @param code error code of a partition in the answer to a produce request */
export function outcomeOf(code: number): ProduceOutcome {
  if (code === 0) return { kind: 'acknowledged' }
  const error = errorOfCode(code)
  if (error.type === alreadyThere) return { kind: 'acknowledged' }
  if (unsendable.has(error.type)) return { kind: 'unsendable', error }
  return { kind: numbersLost.has(error.type) ? 'renumber' : 'repeat', error }
}
