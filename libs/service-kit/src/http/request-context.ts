import type { ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import type { Logger } from 'pino'

export type ContextOptions = {
  requestId: string
  traceparent: string | null
  log: Logger
  bodyLimitBytes: number
}

/** What one request carries along. Costly parts are made when they are first asked for. */
export class RequestContext {
  readonly requestId: string
  readonly traceparent: string | null
  readonly bodyLimitBytes: number
  readonly req: Request
  /** The operation that answered: label of the metric, field of the access line. */
  operation = 'none'
  /** The path that was matched, with names in the place of what was sent: field of the access line. */
  pathTemplate: string | null = null
  /** What the operation's `authorize` found out; `mount` gives it its type. */
  auth: unknown = undefined
  readonly #res: Response
  readonly #parentLog: Logger
  #log: Logger | undefined
  #abort: AbortController | undefined

  constructor(req: Request, res: Response, options: ContextOptions) {
    this.req = req
    this.#res = res
    this.requestId = options.requestId
    this.traceparent = options.traceparent
    this.bodyLimitBytes = options.bodyLimitBytes
    this.#parentLog = options.log
  }

  /** Carries the request id. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({ requestId: this.requestId })
    return this.#log
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

const contexts = new WeakMap<ServerResponse, RequestContext>()

export function setContext(res: ServerResponse, context: RequestContext): void {
  contexts.set(res, context)
}

/** The context of a request that came through `openApiServer`. */
export function contextOf(res: ServerResponse): RequestContext {
  const context = contexts.get(res)
  if (context === undefined) throw new Error('The request did not come through openApiServer')
  return context
}
