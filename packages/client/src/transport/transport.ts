import { AuthenticationError, ConnectionError, SurehookError, TimeoutError } from '../errors.ts'
import { Deadline } from './deadline.ts'
import { errorOf } from './error-of.ts'
import type { Call, Operation, RequestOptions, WriteOptions } from './operation.ts'
import { randomId } from './random-id.ts'
import { delayBefore, isTransient } from './retry.ts'
import { sleep } from './sleep.ts'
import { checkedToken, type TokenSource, urlOf } from './values.ts'

export type TransportOptions = {
  baseUrl: string
  projectId: string
  environment: string
  token: TokenSource
  adminToken: TokenSource
  fetch: typeof globalThis.fetch
  timeout: number
  maxRetries: number
}

export type Answer = { headers: Headers; body: unknown }

/** Sends operations of the contract to one environment. */
export class Transport {
  // Private, so that a log of the client shows no token.
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  get tenant(): { project: string; environment: string } {
    return { project: this.#options.projectId, environment: this.#options.environment }
  }

  /** Resolves with the body of the answer. */
  async send<Op extends Operation, Body>(
    call: Call<Op, Body>,
    options: WriteOptions = {},
  ): Promise<Body> {
    return (await this.exchange(call, options)).body as Body
  }

  /** Repeats what failed for a moment. Rejects with a `SurehookError` or the signal's reason. */
  async exchange<Op extends Operation>(
    call: Call<Op>,
    options: WriteOptions = {},
  ): Promise<Answer> {
    const { maxRetries = this.#options.maxRetries, signal } = options
    const sent = call.repeat === 'keyed' ? withKey(call, options) : call
    const requestId = randomId()
    for (let failures = 0; ; ) {
      try {
        return await this.#renewing(call, () => this.#attempt(sent, requestId, options))
      } catch (err) {
        if (!(err instanceof SurehookError)) throw err
        if (failures > 0 && err.status === 404 && call.gone !== undefined) {
          return { headers: new Headers(), body: call.gone.body }
        }
        failures++
        const wait = failures > maxRetries ? undefined : delayOf(err, failures, call.repeat)
        if (wait === undefined) throw err
        await sleep(wait, signal)
      }
    }
  }

  /** Opens an answer without an end. The deadline counts until its headers. */
  open<Op extends Operation>(call: Call<Op>, deadline: Deadline): Promise<Response> {
    return this.#renewing(call, () => this.#open(call, deadline))
  }

  /** Repeats what was refused for its token: a function may have a newer one. */
  async #renewing<R>(call: Call<Operation>, send: () => Promise<R>): Promise<R> {
    try {
      return await send()
    } catch (err) {
      const isRefused = err instanceof AuthenticationError
      if (!isRefused || typeof this.#credentialOf(call) === 'string') throw err
      return send()
    }
  }

  async #open(call: Call<Operation>, deadline: Deadline): Promise<Response> {
    const requestId = randomId()
    const request = await this.#request(call, requestId)
    deadline.start(this.#options.timeout)
    try {
      const response = await this.#fetch(request, deadline)
      if (!response.ok) throw errorOf(response, await response.text(), requestId)
      return response
    } catch (err) {
      throw failureOf(err, deadline, requestId)
    }
  }

  async #attempt(
    call: Call<Operation>,
    requestId: string,
    { signal, timeout = this.#options.timeout }: RequestOptions,
  ): Promise<Answer> {
    const request = await this.#request(call, requestId)
    const deadline = new Deadline(signal)
    deadline.start(timeout)
    try {
      const response = await this.#fetch(request, deadline)
      const text = await response.text()
      if (!response.ok) throw errorOf(response, text, requestId)
      return { headers: response.headers, body: bodyOf(response, text, requestId) }
    } catch (err) {
      throw failureOf(err, deadline, requestId)
    } finally {
      deadline.close()
    }
  }

  async #request(call: Call<Operation>, requestId: string): Promise<Request> {
    const { baseUrl, projectId, environment } = this.#options
    const isAuth = isAuthCall(call)
    const headers = {
      ...call.headers,
      ...(call.isPublic !== true && {
        authorization: `Bearer ${await checkedToken(this.#credentialOf(call))}`,
      }),
      'x-request-id': requestId,
      ...(!isAdminCall(call) && { 'x-project-id': projectId, environment }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    }
    const body = call.body === undefined ? null : JSON.stringify(call.body)
    const url = `${baseUrl}${isAuth ? '' : '/gw'}${urlOf(call)}`
    return { url, init: { method: call.method, headers, body } }
  }

  #credentialOf(call: Call<Operation>): TokenSource {
    const { token, adminToken } = this.#options
    return isAdminCall(call) ? adminToken : token
  }

  #fetch({ url, init }: Request, { signal }: Deadline): Promise<Response> {
    const { fetch } = this.#options
    return fetch(url, { ...init, signal })
  }
}

const isAuthCall = ({ url }: Call<Operation>) => url.startsWith('/auth/')
const isAdminCall = (call: Call<Operation>) => isAuthCall(call) || call.isAdmin === true

type Request = { url: string; init: RequestInit }

const withKey = <Op extends Operation>(
  call: Call<Op>,
  { idempotencyKey = randomId() }: WriteOptions,
): Call<Op> => ({ ...call, headers: { ...call.headers, 'idempotency-key': idempotencyKey } })

/** The milliseconds before the next attempt; undefined: there is none. */
const delayOf = (error: SurehookError, failures: number, repeat: Call<Operation>['repeat']) =>
  isTransient(error, repeat !== 'once') ? delayBefore(failures, error.retryAfter) : undefined

/** The error that a call rejects with after its request failed. The caller's abort wins. */
export function failureOf(err: unknown, deadline: Deadline, requestId?: string): unknown {
  if (err instanceof SurehookError) return err
  if (deadline.isLate) {
    return new TimeoutError(messageOf('No answer in time', requestId), {
      code: 'TIMEOUT',
      requestId,
    })
  }
  if (deadline.signal.aborted) return deadline.signal.reason
  const details = { code: 'CONNECTION_FAILED', requestId, cause: err }
  return new ConnectionError(messageOf('The connection failed', requestId), details)
}

const messageOf = (what: string, requestId: string | undefined) =>
  requestId === undefined ? what : `${what} (request ${requestId})`

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

function bodyOf({ status, headers }: Response, text: string, requestId: string): unknown {
  const isLines = headers.get('content-type')?.startsWith('application/x-ndjson') === true
  if (text === '' && !isLines) return undefined
  try {
    return isLines ? linesOf(text).map((line) => JSON.parse(line)) : JSON.parse(text)
  } catch (cause) {
    const message = `The answer is not JSON: does baseUrl name a Surehook? (request ${requestId})`
    throw new SurehookError(message, { code: 'UNEXPECTED_RESPONSE', status, requestId, cause })
  }
}
