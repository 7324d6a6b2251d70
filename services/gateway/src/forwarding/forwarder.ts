import { Agent as HttpAgent, type IncomingMessage, ServerResponse } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { reasonOf, unavailable } from '@surehook/service-kit/errors'
import { sendProblem } from '@surehook/service-kit/http/problem'
import { contextOf } from '@surehook/service-kit/http/request-context'
import type { NextFunction, Request, Response } from 'express'
import {
  createProxyMiddleware,
  type Options,
  proxyEventsPlugin,
  type RequestHandler,
} from 'http-proxy-middleware'
import type { Upstream } from '../routing/route-of.ts'
import { checkBodyFraming, limitStreamedBody } from './body-limit.ts'
import type { Cidr } from './client-address.ts'
import { rewriteRequestHeaders } from './request-headers.ts'
import { responseHeaders } from './response-headers.ts'

export type ForwarderOptions = {
  upstreams: Readonly<Record<Upstream, URL>>
  trustedProxies: readonly Cidr[]
  bodyLimitBytes: number
  upstreamTimeoutMs: number
}

export type Forwarder = Disposable & {
  /** Sends the request on as `url`; the body streams, nothing is retried. */
  forward(upstream: Upstream, url: string, exchange: Exchange): void
}

export type Exchange = { req: Request; res: Response; next: NextFunction }

const connectTimeoutMs = 3_000
const sockets = {
  keepAlive: true,
  maxSockets: 1_024,
  maxFreeSockets: 256,
  timeout: connectTimeoutMs,
}

export function openForwarder(options: ForwarderOptions): Forwarder {
  const { upstreams, trustedProxies, bodyLimitBytes } = options
  const agents = { 'http:': new HttpAgent(sockets), 'https:': new HttpsAgent(sockets) }
  const proxyTo = (target: URL) =>
    createProxy(target, options, agents[target.protocol as keyof typeof agents])
  const proxies: Readonly<Record<Upstream, RequestHandler>> = {
    auth: proxyTo(upstreams.auth),
    data: proxyTo(upstreams.data),
    webhooks: proxyTo(upstreams.webhooks),
  }
  return {
    forward(upstream, url, { req, res, next }) {
      checkBodyFraming(req, bodyLimitBytes)
      rewriteRequestHeaders(req, { requestId: contextOf(res).requestId, trustedProxies })
      req.url = url
      proxies[upstream](req, res, next).catch(next)
    },
    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function createProxy(
  target: URL,
  { bodyLimitBytes, upstreamTimeoutMs }: ForwarderOptions,
  agent: HttpAgent,
): RequestHandler {
  const proxyOptions: Options = {
    target,
    agent,
    changeOrigin: true,
    proxyTimeout: upstreamTimeoutMs,
    // Of its plugins only the one that calls `on`: the others write logs and answers of their own.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    selfHandleResponse: true,
    on: {
      proxyReq(proxyReq, req, res) {
        limitStreamedBody(req, bodyLimitBytes, (problem) => {
          req.unpipe(proxyReq)
          proxyReq.destroy()
          sendProblem(res, problem)
        })
      },
      proxyRes: sendResponse,
      error: sendUnavailable,
    },
  }
  return createProxyMiddleware(proxyOptions)
}

/** The upstream could not be reached, broke off or took too long. */
function sendUnavailable(err: Error, _req: IncomingMessage, res: ServerResponse | Socket): void {
  // A socket is for upgrades only, which are never passed on; an answer of our own made us break off.
  if (!(res instanceof ServerResponse) || res.writableEnded) return
  contextOf(res).log.warn({ reason: reasonOf(err) }, 'upstream.failed')
  sendProblem(res, unavailable('no answer from upstream', err))
}

function sendResponse(proxyRes: IncomingMessage, _req: unknown, res: ServerResponse): void {
  if (res.headersSent) {
    proxyRes.resume()
    return
  }
  res.writeHead(proxyRes.statusCode ?? 502, responseHeaders(proxyRes))
  proxyRes.pipe(res)
}
