import { reasonOf } from '@surehook/service-kit/errors'

/**
 * The database of a slot refused something, or the connection to it failed. Errors of other causes,
 * such as of Kafka, are not among them.
 */
export class SlotConnectionError extends Error {
  override readonly name: string = 'SlotConnectionError'
  /** SQLSTATE, or the code of a system error. */
  readonly code: string | undefined

  /** It has the message of its cause. */
  constructor(cause: unknown) {
    super(reasonOf(cause), cause instanceof Error ? { cause } : {})
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    this.code = typeof code === 'string' ? code : undefined
  }
}

/** Resolves with `work`, or rejects with a `SlotConnectionError`. */
export const ofConnection = <T>(work: Promise<T>): Promise<T> =>
  work.catch((err) => {
    throw err instanceof SlotConnectionError ? err : new SlotConnectionError(err)
  })
