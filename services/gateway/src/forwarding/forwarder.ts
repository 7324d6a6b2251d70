import type { Cidr } from '@surehook/service-kit/http/client-address'
import { contextOf } from '@surehook/service-kit/http/request-context'
import type { NextFunction, Request, Response } from 'express'
import { Pool } from 'undici'
import type { Upstream } from '../routing/route-of.ts'
import { AnswerRelay } from './answer-relay.ts'
import { checkBodyFraming } from './body-limit.ts'
import { bodyToSend } from './body-to-send.ts'
import { Reconnect } from './reconnect.ts'
import { rewriteRequestHeaders } from './request-headers.ts'

export type ForwarderOptions = {
  upstreams: Readonly<Record<Upstream, URL>>
  trustedProxies: readonly Cidr[]
  bodyLimitBytes: number
  upstreamTimeoutMs: number
}

export type Forwarder = AsyncDisposable & {
  /**
   * Sends the request on as `url`; a large body streams. What was sent is never sent again; without a connection, another
   * one is tried, which may lead to another replica.
   */
  forward(upstream: Upstream, url: string, exchange: Exchange): void
}

export type Exchange = { req: Request; res: Response; next: NextFunction }

type Target = { pool: Pool; prefix: string }

const connectTimeoutMs = 3_000
const maxSockets = 1_024

export function openForwarder(options: ForwarderOptions): Forwarder {
  const { upstreams, trustedProxies, bodyLimitBytes, upstreamTimeoutMs } = options
  const targetOf = ({ origin, pathname }: URL): Target => ({
    pool: new Pool(origin, {
      connections: maxSockets,
      allowH2: false,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: upstreamTimeoutMs,
      bodyTimeout: upstreamTimeoutMs,
    }),
    prefix: pathname.replace(/\/$/, ''),
  })
  const targets: Readonly<Record<Upstream, Target>> = {
    auth: targetOf(upstreams.auth),
    data: targetOf(upstreams.data),
    webhooks: targetOf(upstreams.webhooks),
  }

  async function send({ pool, prefix }: Target, url: string, { req, res }: Exchange) {
    const reconnect = new Reconnect()
    const answer = new AnswerRelay(req, res, (err) => reconnect.after(err))
    const body = await bodyToSend(req, bodyLimitBytes, (problem) => answer.refuse(problem))
    if (body === 'gone') return
    const { host: _host, 'transfer-encoding': _framing, ...headers } = req.headers
    const request = { path: prefix + url, method: req.method, headers, body }
    const dispatch = () => void pool.dispatch(request, answer)
    // Of a stream a part may be gone.
    if (body === null || Buffer.isBuffer(body)) reconnect.by(dispatch)
    dispatch()
  }

  return {
    forward(upstream, url, exchange) {
      const { req, res, next } = exchange
      checkBodyFraming(req, bodyLimitBytes)
      const { requestId, traceparent } = contextOf(res)
      rewriteRequestHeaders(req, { requestId, traceparent, trustedProxies })
      send(targets[upstream], url, exchange).catch(next)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(targets).map(({ pool }) => pool.destroy()))
    },
  }
}
