import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@surehook/contracts/operation'
import type { Request } from 'express'
import type { Logger } from 'pino'
import type { LoopTurns } from '../../slots/loop-turns.ts'
import { traceIdOf } from '../../telemetry/tracing/trace-headers.ts'
import { limitKeyOf } from './client-networks.ts'
import { clientNetwork } from './forwarded-node.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/**
 * Runs around every call of an operation, its authorisation included. It must call `serve`, and
 * pass on the answer or the error.
 */
export type AroundCall = <Answer>(
  operation: Operation,
  context: RequestContext,
  serve: () => Promise<Answer>,
) => Promise<Answer>

export type ContextOptions = {
  requestId: string
  traceparent: string | null
  log: Logger
  bodyLimitBytes: number
  around: AroundCall
  trustedProxies: TrustedProxies
  turns: Pick<LoopTurns, 'next'>
}

/**
 * A request that `openApiServer` passes on. It lacks the properties that an express application
 * adds.
 */
export type ApiRequest = IncomingMessage & Pick<Request, 'params'>

/** Data of one request. Expensive parts are created on first use. */
export class RequestContext {
  readonly requestId: string
  /**
   * Trace context for calls that the request causes: of its own span if it is traced, else the
   * caller's.
   */
  readonly traceparent: string | null
  readonly bodyLimitBytes: number
  readonly around: AroundCall
  readonly req: ApiRequest
  /** Name of the operation, for the metric's label and the access line. */
  operation = 'none'
  /** Matched path with parameter names instead of values, for the access line. */
  pathTemplate: string | null = null
  /** The right that a token needs for the operation. `undefined`: the operation takes none. */
  right: Operation['right'] = undefined
  /** Result of the operation's `authorize`. `mount` gives it its type. */
  auth: unknown = undefined
  /** True if `authorize` has admitted the caller. */
  isAuthorized = false
  /** Who takes turns with others, once `authorize` has admitted the caller. */
  owner: string | undefined = undefined
  /** Id of the caller's token. */
  actorId: string | undefined = undefined
  readonly #res: ServerResponse
  readonly #trustedProxies: TrustedProxies
  readonly #turns: Pick<LoopTurns, 'next'>
  readonly #parentLog: Logger
  #log: Logger | undefined
  #abort: AbortController | undefined

  constructor(req: ApiRequest, res: ServerResponse, options: ContextOptions) {
    this.req = req
    this.#res = res
    this.requestId = options.requestId
    this.traceparent = options.traceparent
    this.bodyLimitBytes = options.bodyLimitBytes
    this.around = options.around
    this.#parentLog = options.log
    this.#trustedProxies = options.trustedProxies
    this.#turns = options.turns
  }

  /** Address of the client, by the connection and trusted proxies. */
  get clientAddress(): string {
    return this.#trustedProxies.forwardedFor(this.req).client
  }

  /**
   * Client of the request, for limits. IPv6 addresses count by /64, the network of one subscriber.
   */
  get countedClient(): string {
    return clientNetwork(this.clientAddress)
  }

  /**
   * Resolves when work may take the event loop for milliseconds, until it waits for anything.
   * Owners take turns, and clients without an owner. Rejects with SERVICE_UNAVAILABLE if too many
   * wait.
   */
  nextTurn(): Promise<void> {
    const { owner } = this
    const client = () => `client/${limitKeyOf(this.countedClient)}`
    return this.#turns.next(owner === undefined ? client() : `owner/${owner}`)
  }

  /** Sets a header of the answer, also if that reports an error. */
  setHeader(name: string, value: string): void {
    if (!this.#res.headersSent) this.#res.setHeader(name, value)
  }

  get traceId(): string | undefined {
    return traceIdOf(this.traceparent)
  }

  /** Logger with the ids of the request and its trace. */
  get log(): Logger {
    const { requestId, traceId } = this
    this.#log ??= this.#parentLog.child({ requestId, traceId })
    return this.#log
  }

  /**
   * Sends white space, which may precede JSON, while the response is not ready, so that no client
   * or proxy closes the connection as idle. The first space sends status 200. After that an error
   * can only cut the response.
   */
  keepWaiting(everyMs: number): Disposable {
    const res = this.#res
    const timer = setInterval(() => {
      if (!res.headersSent) res.writeHead(200, waitingHeaders)
      if (!res.writableEnded) res.write(' ')
    }, everyMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Aborts when the client disconnects before it has its response. */
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

/** A property, because a WeakMap entry per request costs the garbage collector more. */
const contextKey = Symbol('context')

type Carrier = ServerResponse & { [contextKey]?: RequestContext }

export function setContext(res: ServerResponse, context: RequestContext): void {
  ;(res as Carrier)[contextKey] = context
}

/** Returns the context of a request that came through `openApiServer`. */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as Carrier)[contextKey]
  if (context === undefined) throw new Error('The request did not come through openApiServer')
  return context
}
