import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracer } from '../telemetry/tracing/tracer.ts'
import { type ListenOptions, listenGracefully } from './connection/graceful-server.ts'
import { requireHost } from './connection/require-host.ts'
import { ClientGoneError } from './json-body.ts'
import { refuseOtherMethods } from './mount.ts'
import { sendProblem, toAppError } from './problem.ts'
import type { Cidr } from './request/client-address.ts'
import { contextOf, RequestContext, setContext } from './request/request-context.ts'
import { requestIdOf, traceparentOf } from './request/request-id.ts'
import { beginRequestSpan, endRequestSpan } from './request/request-span.ts'
import { securityHeaders } from './security-headers.ts'

export type ApiServer = AsyncDisposable & { readonly port: number }

export type ApiServerOptions = {
  port: number
  host: string
  log: Logger
  metrics: Metrics
  tracer?: Tracer | undefined
  /** Called once; mounts operations with `mount(router, operation, handler)`. */
  routes: (router: Router) => void
  bodyLimitBytes?: number
  /** Whose `X-Forwarded-For` says who the client is. */
  trustedProxies?: readonly Cidr[]
  /** Of every answer, besides those that each API has. */
  headers?: Readonly<Record<string, string>>
  closeGraceMs?: number
  lingerMs?: number
  clientOf?: ListenOptions['clientOf']
  clientOfAddress?: ListenOptions['clientOfAddress']
  patience?: ListenOptions['patience']
}

export const defaultBodyLimitBytes = 1024 * 1024

/** A client that sends request after request has sent one by then. */
const defaultLingerMs = 1_000

/**
 * The HTTP API of a service, listening when this resolves: open it after what its handlers use, so
 * that it closes first.
 */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  return serveApi(createApi(options), options)
}

/** Listens for an API that was created with the same options. */
export function serveApi(api: RequestListener, options: ApiServerOptions): Promise<ApiServer> {
  const { port, host, clientOf, clientOfAddress, patience } = options
  const { closeGraceMs = 8_000, lingerMs = defaultLingerMs } = options
  const listening = { port, host, clientOf, clientOfAddress, patience, closeGraceMs, lingerMs }
  return listenGracefully(api, listening)
}

/** Answers the requests of a server; also those that another API of the process was asked for first. */
export function createApi(options: ApiServerOptions): RequestListener {
  const router = Router({ caseSensitive: true })
  options.routes(router)
  refuseOtherMethods(router)

  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.use(beginRequest(options), checkHost, router, notFound, errorHandler)
  return app
}

function beginRequest(options: ApiServerOptions): RequestHandler {
  const { log, metrics, tracer, bodyLimitBytes = defaultBodyLimitBytes } = options
  const own = { log, bodyLimitBytes, trustedProxies: options.trustedProxies ?? [] }
  const headers = Object.entries({ ...securityHeaders, ...options.headers })
  const seconds = metrics.histogram({
    name: 'surehook_http_request_duration_seconds',
    help: 'Time from a request to its answer. At the gateway, operation is the route',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  return (req, res, next) => {
    const startedAt = performance.now()
    const { originalUrl } = req
    const requestId = requestIdOf(req.headers['x-request-id'])
    const received = traceparentOf(req.headers['traceparent'])
    const span = tracer && beginRequestSpan(tracer, req, { requestId, traceparent: received })
    const traceparent = span?.traceparent ?? received
    const context = new RequestContext(req, res, { ...own, requestId, traceparent })
    setContext(res, context)
    res.setHeader('X-Request-Id', requestId)
    for (const [name, value] of headers) res.setHeader(name, value)
    res.once('close', () => {
      const ms = performance.now() - startedAt
      // 499, as others write it: the client left before its answer.
      const status = res.writableFinished ? res.statusCode : 499
      const { operation, traceId } = context
      seconds.observe({ operation, status }, ms / 1_000)
      const path = context.pathTemplate ?? pathStart(originalUrl)
      if (span !== undefined) endRequestSpan(span, context, { path, status })
      const answered = { operation, status, ms: Math.round(ms * 10) / 10 }
      log.info({ requestId, traceId, method: req.method, path, ...answered }, 'http.request')
    })
    next()
  }
}

/** Of a path that nobody knows: what is further in may be a secret that was put into the wrong place. */
function pathStart(url: string): string {
  if (!url.startsWith('/')) return ''
  return (url.split('?', 1)[0] ?? '').split('/', 3).join('/').slice(0, 200)
}

const checkHost: RequestHandler = (req, _res, next) => {
  requireHost(req)
  next()
}

const notFound: RequestHandler = () => {
  throw new AppError('NOT_FOUND', 'There is nothing at this path')
}

/** The only place that turns an error into an answer. */
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
const errorHandler: ErrorRequestHandler = (err: unknown, _req, res, _next) => {
  if (err instanceof ClientGoneError) {
    res.destroy()
    return
  }
  const problem = toAppError(err)
  const { log, operation } = contextOf(res)
  if (problem.code === 'INTERNAL_ERROR') log.error({ err, operation }, 'http.failed')
  else if (problem.status >= 500) {
    // What we refuse ourselves, for want of room, has no trace worth its line.
    const why = problem.cause === undefined ? { reason: problem.message } : { err }
    log.warn({ ...why, operation }, 'http.unavailable')
  }
  sendProblem(res, problem)
}
