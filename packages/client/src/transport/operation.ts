/** What `@hey-api/openapi-ts` writes about an operation. */
export type Operation = { url: string; path?: unknown; query?: unknown; body?: unknown }

export type Query<Op extends Operation> = NonNullable<Op['query']>

/** A call of an operation. Its URL and arguments are those of the contract. */
export type Call<Op extends Operation, Body = unknown> = Pick<
  Op,
  'url' | 'path' | 'query' | 'body'
> & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * `safe`: twice is like once. `keyed`: an idempotency key makes it so. `once`: neither, so only a
   * 429 is repeated.
   */
  repeat: 'safe' | 'keyed' | 'once'
  /**
   * The answer if a repeated deletion finds nothing, because an earlier attempt, whose answer was
   * lost, deleted it. Without it, the 404 is an error.
   */
  gone?: { body: Body }
  headers?: Record<string, string>
  /** The operation takes the administration token, as all below `/auth/` do. */
  isAdmin?: true
  /** The operation needs no token. */
  isPublic?: true
}

/** A deletion whose answer has no body. */
export const deletion = { method: 'DELETE', repeat: 'safe', gone: { body: undefined } } as const

export type RequestOptions = {
  /** Ends the call. The call then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Milliseconds of one attempt, instead of the client's. */
  timeout?: number
  /** Attempts after the first, instead of the client's. */
  maxRetries?: number
}

export type WriteOptions = RequestOptions & {
  /** The same key makes the call happen once within 24 hours, even if your process crashed. */
  idempotencyKey?: string
}
