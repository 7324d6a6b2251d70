import type { RequestListener } from 'node:http'
import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { LoopTurns } from '../slots/loop-turns.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/tracing/tracer.ts'
import { type ListenOptions, listenGracefully } from './connection/graceful-server.ts'
import { requireHost } from './connection/require-host.ts'
import { ClientGoneError } from './json-body.ts'
import { refuseOtherMethods } from './mount.ts'
import { sendProblem, toAppError } from './problem.ts'
import { toOriginForm } from './request/origin-form.ts'
import {
  type AroundCall,
  contextOf,
  RequestContext,
  setContext,
} from './request/request-context.ts'
import { requestIdOf, traceparentOf } from './request/request-id.ts'
import { beginRequestSpan, endRequestSpan } from './request/request-span.ts'
import { type Cidr, TrustedProxies } from './request/trusted-proxies.ts'
import { securityHeaders } from './security-headers.ts'

export type ApiServer = AsyncDisposable & { readonly port: number }

export type ApiServerOptions = {
  port: number
  host: string
  log: Logger
  metrics: Metrics
  tracer?: Tracer | undefined
  /** Called once to mount operations with `mount(router, operation, handler)`. */
  routes: (router: Router) => void
  /** Handles each request before the routes. It calls `next` to pass a request on to them. */
  first?: RequestHandler
  bodyLimitBytes?: number
  around?: AroundCall | undefined
  /** Proxies whose `X-Forwarded-For` is trusted to name the client. */
  trustedProxies?: readonly Cidr[]
  /** Further headers of every response. */
  headers?: Readonly<Record<string, string>>
  closeGraceMs?: number
  lingerMs?: number
  clientOf?: ListenOptions['clientOf']
  clientOfAddress?: ListenOptions['clientOfAddress']
  connections?: ListenOptions['connections']
  patience?: ListenOptions['patience']
}

export const defaultBodyLimitBytes = 1024 * 1024

/** A client that sends requests continuously has sent another one by then. */
const defaultLingerMs = 1_000

/**
 * Opens the HTTP API of a service, which listens when the promise resolves. Open it after the
 * dependencies of its handlers, so that it closes before them.
 */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  return serveApi(createApi(options), options)
}

/** Listens for an API that was created with the same options. */
export function serveApi(api: RequestListener, options: ApiServerOptions): Promise<ApiServer> {
  const { port, host, clientOf, clientOfAddress, connections, patience } = options
  const { closeGraceMs = 8_000, lingerMs = defaultLingerMs } = options
  const clients = { clientOf, clientOfAddress, connections, patience }
  return listenGracefully(api, { port, host, ...clients, closeGraceMs, lingerMs })
}

/**
 * Returns the request listener of an API. Another API of the same process may pass requests to it.
 * It is no express application, because express replaces the prototype of every request and
 * response, which makes Node slower.
 */
export function createApi(options: ApiServerOptions): RequestListener {
  const router = Router({ caseSensitive: true })
  options.routes(router)
  refuseOtherMethods(router)
  const { first = (_req, _res, next) => next() } = options
  const begin = beginRequest(options)
  return (incoming, outgoing) => {
    const req = incoming as Request
    const res = outgoing as Response
    toOriginForm(req)
    begin(req, res)
    const toRoutes: NextFunction = (err?: unknown) => {
      if (err !== undefined) answerError(res, err)
      else router(req, res, (routed: unknown) => answerError(res, routed ?? notFound()))
    }
    try {
      requireHost(req)
      first(req, res, toRoutes)
    } catch (err) {
      answerError(res, err)
    }
  }
}

/** Of requests that take the event loop for milliseconds. */
const waitingTurns = { waiting: { all: 1_024, each: 64 }, maxWaitMs: 10_000 }

function beginRequest(options: ApiServerOptions): (req: Request, res: Response) => void {
  const { log, metrics, tracer, bodyLimitBytes = defaultBodyLimitBytes } = options
  const { around = (_operation, _context, serve) => serve() } = options
  const trustedProxies = new TrustedProxies(options.trustedProxies ?? [], log)
  const turns = new LoopTurns(waitingTurns)
  const own = { log, bodyLimitBytes, trustedProxies, around, turns }
  const headers = Object.entries({ ...securityHeaders, ...options.headers })
  const seconds = metrics.histogram({
    name: 'surehook_http_request_duration_seconds',
    help: 'Time from a request to its answer. At the gateway, operation is the route',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  return (req, res) => {
    const startedAt = performance.now()
    const { url } = req
    const requestId = requestIdOf(req.headers['x-request-id'])
    const received = traceparentOf(req.headers['traceparent'])
    const span = tracer && beginRequestSpan(tracer, req, { requestId, traceparent: received })
    const traceparent = span?.traceparent ?? received
    const context = new RequestContext(req, res, { ...own, requestId, traceparent })
    setContext(res, context)
    res.setHeader('X-Request-Id', requestId)
    for (const [name, value] of headers) res.setHeader(name, value)
    res.on('close', () => {
      const ms = performance.now() - startedAt
      // 499 is nginx's convention: the client left before its response.
      const status = res.writableFinished ? res.statusCode : 499
      const { operation, traceId } = context
      seconds.observe({ operation, status }, ms / 1_000)
      const path = context.pathTemplate ?? pathStart(url)
      if (span !== undefined) endRequestSpan(span, context, { path, status })
      const answered = { operation, status, ms: Math.round(ms * 10) / 10 }
      log.info({ requestId, traceId, method: req.method, path, ...answered }, 'http.request')
    })
  }
}

/** Start of an unknown path. Later segments may contain a misplaced secret. */
function pathStart(url: string): string {
  if (!url.startsWith('/')) return ''
  return (url.split('?', 1)[0] ?? '').split('/', 3).join('/').slice(0, 200)
}

const notFound = () => new AppError('NOT_FOUND', 'There is nothing at this path')

/** The only place that converts an error to a response. */
function answerError(res: Response, err: unknown): void {
  if (err instanceof ClientGoneError) {
    res.destroy()
    return
  }
  const problem = toAppError(err)
  const { log, operation } = contextOf(res)
  if (problem.code === 'INTERNAL_ERROR') log.error({ err, operation }, 'http.failed')
  else if (problem.status >= 500) {
    // A refusal of our own under load needs no stack trace.
    const why = problem.cause === undefined ? { reason: problem.message } : { err }
    log.warn({ ...why, operation }, 'http.unavailable')
  }
  sendProblem(res, problem)
}
