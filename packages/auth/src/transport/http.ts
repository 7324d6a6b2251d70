import { type Clock, orAborted, sleep } from '../clock.ts'
import { AuthError, ConnectionError, TimeoutError } from '../errors.ts'
import { errorOf } from './error-of.ts'
import { randomId } from './random-id.ts'
import type { RequestOptions } from './request-options.ts'

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/auth/`. */
  path: string
  body?: object
  accessToken?: string
  /** Twice is like once, so it is sent again after a failure that may pass. */
  isRepeatable?: boolean
  /** Goes on when the page is gone. */
  keepalive?: boolean
}

export type HttpOptions = {
  baseUrl: string
  projectId: string
  environment: string
  fetch: typeof globalThis.fetch
  timeout: number
  maxRetries: number
  clock: Clock
}

/** Answers of a service or proxy that is away for a moment. */
const transientStatus = new Set([408, 429, 502, 503, 504])
const firstDelayMs = 500
/** The caller decides about longer waits: the error names them. */
const maxRetryAfterS = 10

/** Sends the calls of one environment. */
export class Http {
  // Private, so that a log shows no option.
  readonly #options: HttpOptions

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** Resolves with the body of the answer. Rejects with an `AuthError` or the signal's reason. */
  async send<Body>(call: Call, options: RequestOptions = {}): Promise<Body> {
    const { clock, maxRetries } = this.#options
    const requestId = randomId()
    for (let failures = 0; ; failures++) {
      try {
        return (await this.#attempt(call, requestId, options)) as Body
      } catch (err) {
        const mayPass = call.isRepeatable && err instanceof AuthError && isTransient(err)
        if (!mayPass || failures >= maxRetries) throw err
        await orAborted(sleep(clock, delayAfter(failures, err.retryAfter)), options.signal)
      }
    }
  }

  async #attempt(call: Call, requestId: string, options: RequestOptions): Promise<unknown> {
    const { baseUrl, fetch } = this.#options
    const { method, body, keepalive = false } = call
    const init = {
      method,
      headers: this.#headersOf(call, requestId),
      body: body === undefined ? null : JSON.stringify(body),
      keepalive,
    }
    return this.#inTime(options, requestId, async (signal) => {
      const response = await fetch(`${baseUrl}/auth/${call.path}`, { ...init, signal })
      const text = await response.text()
      if (!response.ok) throw errorOf(response, text, requestId)
      return bodyOf(response, text, requestId)
    })
  }

  #headersOf({ body, accessToken }: Call, requestId: string): Record<string, string> {
    const { projectId, environment } = this.#options
    return {
      'x-project-id': projectId,
      environment,
      'x-request-id': requestId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    }
  }

  /** Does not wait for a `fetch` that ignores its signal. */
  async #inTime<T>(
    { signal, timeout = this.#options.timeout }: RequestOptions,
    requestId: string,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ending = new AbortController()
    const late = new TimeoutError(`No answer in time (request ${requestId})`, {
      code: 'TIMEOUT',
      requestId,
    })
    const stop = this.#options.clock.after(timeout, () => ending.abort(late))
    const onAbort = () => ending.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await orAborted(task(ending.signal), ending.signal)
    } catch (err) {
      if (ending.signal.aborted) throw ending.signal.reason
      throw err instanceof AuthError ? err : connectionError(err, requestId)
    } finally {
      stop()
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

const isTransient = (error: AuthError) =>
  (error instanceof ConnectionError || transientStatus.has(error.status ?? 0)) &&
  (error.retryAfter ?? 0) <= maxRetryAfterS

/** Jitter takes away up to half, so that clients do not call in step. */
const delayAfter = (failures: number, retryAfter = 0) =>
  Math.max(firstDelayMs * 2 ** failures * (0.5 + Math.random() / 2), retryAfter * 1_000)

const connectionError = (cause: unknown, requestId: string) =>
  new ConnectionError(`The connection failed (request ${requestId})`, {
    code: 'CONNECTION_FAILED',
    requestId,
    cause,
  })

function bodyOf(response: Response, text: string, requestId: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw errorOf(response, text, requestId)
  }
}
