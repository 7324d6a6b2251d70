/** Kafka will never take this record: only the call that brought it is rejected. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError'
}
