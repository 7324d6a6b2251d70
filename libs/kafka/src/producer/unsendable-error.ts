/** Kafka will never accept this record. Only the call that sent it is rejected. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError'
}
