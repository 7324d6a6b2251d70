import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import type { Logger } from 'pino'
import { traceIdOf } from '../../telemetry/tracing/trace-headers.ts'
import { type Cidr, forwardedClient } from './client-address.ts'

export type ContextOptions = {
  requestId: string
  traceparent: string | null
  log: Logger
  bodyLimitBytes: number
  trustedProxies: readonly Cidr[]
}

/** A request as `openApiServer` hands it on: none of what only an express application adds. */
export type ApiRequest = IncomingMessage & Pick<Request, 'params'>

/** What one request carries along. Costly parts are made when they are first asked for. */
export class RequestContext {
  readonly requestId: string
  /** Of this request's own span when requests are traced, else what the caller sent; for what it leads to. */
  readonly traceparent: string | null
  readonly bodyLimitBytes: number
  readonly req: ApiRequest
  /** The operation that answered: label of the metric, field of the access line. */
  operation = 'none'
  /** The path that was matched, with names in the place of what was sent: field of the access line. */
  pathTemplate: string | null = null
  /** What the operation's `authorize` found out; `mount` gives it its type. */
  auth: unknown = undefined
  /** `authorize` has admitted the caller. */
  isAuthorized = false
  /** Of the management token that was shown. */
  actorId: string | undefined = undefined
  readonly #res: ServerResponse
  readonly #trustedProxies: readonly Cidr[]
  readonly #parentLog: Logger
  #log: Logger | undefined
  #abort: AbortController | undefined

  constructor(req: ApiRequest, res: ServerResponse, options: ContextOptions) {
    this.req = req
    this.#res = res
    this.requestId = options.requestId
    this.traceparent = options.traceparent
    this.bodyLimitBytes = options.bodyLimitBytes
    this.#parentLog = options.log
    this.#trustedProxies = options.trustedProxies
  }

  /** Of the client, as far as proxies that are trusted tell. */
  get clientAddress(): string {
    return forwardedClient(this.req, this.#trustedProxies).client.slice(0, 64)
  }

  get traceId(): string | undefined {
    return traceIdOf(this.traceparent)
  }

  /** Carries the ids of the request and of its trace. */
  get log(): Logger {
    const { requestId, traceId } = this
    this.#log ??= this.#parentLog.child({ requestId, traceId })
    return this.#log
  }

  /**
   * While a JSON answer takes long: white space, before which it may stand, so that nobody takes the
   * connection for dead. From the first of it on the status is 200, and an error can only cut the answer.
   */
  keepWaiting(everyMs: number): Disposable {
    const res = this.#res
    const timer = setInterval(() => {
      if (!res.headersSent) res.writeHead(200, waitingHeaders)
      if (!res.writableEnded) res.write(' ')
    }, everyMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Aborts when the client goes away before it has its answer. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      const gone = () => {
        if (!this.#res.writableFinished) abort.abort()
      }
      if (this.#res.closed) gone()
      else this.#res.once('close', gone)
      this.#abort = abort
    }
    return this.#abort.signal
  }
}

const waitingHeaders = {
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json; charset=utf-8',
}

/** A property, since what a WeakMap holds for each request costs the garbage collector more. */
const contextKey = Symbol('context')

type Carrier = ServerResponse & { [contextKey]?: RequestContext }

export function setContext(res: ServerResponse, context: RequestContext): void {
  ;(res as Carrier)[contextKey] = context
}

/** The context of a request that came through `openApiServer`. */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as Carrier)[contextKey]
  if (context === undefined) throw new Error('The request did not come through openApiServer')
  return context
}
