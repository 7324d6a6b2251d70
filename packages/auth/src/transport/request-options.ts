export type RequestOptions = {
  /** Ends the call. The call then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Milliseconds of one attempt, instead of the client's. */
  timeout?: number
}
