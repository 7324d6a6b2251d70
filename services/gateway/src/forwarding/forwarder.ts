import type { AppError } from '@surehook/service-kit/errors'
import { discardRest } from '@surehook/service-kit/http/discard-rest'
import { clientNetwork } from '@surehook/service-kit/http/request/forwarded-node'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { TrustedProxies } from '@surehook/service-kit/http/request/trusted-proxies'
import type { NextFunction, Request, Response } from 'express'
import type { Route, Upstream } from '../routing/route-of.ts'
import { AnswerRelay } from './answer-relay.ts'
import { EndlessAnswers } from './endless-answers.ts'
import { handOver } from './hand-over.ts'
import { Reconnect } from './reconnect.ts'
import { checkBodyFraming } from './request-body/body-limit.ts'
import { type SpoolLimits, SpoolMemory } from './request-body/spool-memory.ts'
import { gone, LargeBody, spoolBody } from './request-body/spooled-body.ts'
import { streamBody } from './request-body/streamed-body.ts'
import { requestHeaders } from './request-headers.ts'
import { openTarget, type Target, type UpstreamAddress } from './target.ts'

export type ForwarderOptions = {
  upstreams: Readonly<Record<Upstream, UpstreamAddress>>
  trustedProxies: TrustedProxies
  bodyLimitBytes: number
  upstreamTimeoutMs: number
  spool?: SpoolLimits | undefined
  maxUnreadMs?: number | undefined
}

export type Forwarder = AsyncDisposable & {
  /**
   * Sends the request on as the route's `url` once its body has arrived. A large body streams. A
   * request that was sent is never sent again. If there is no connection, the gateway tries another
   * one, which may reach another replica.
   */
  forward(route: ProxyRoute, exchange: Exchange): void
  /** Ends the streams, so that a server that closes need not wait for them. */
  endStreams(): void
}

export type ProxyRoute = Extract<Route, { kind: 'proxy' }>

export type Exchange = { req: Request; res: Response; next: NextFunction }

type Sending = Pick<Exchange, 'req' | 'res'> & { headers: ReturnType<typeof requestHeaders> }

/** A client that reads nothing of a stream for this long is disconnected, and goes on later. */
const maxUnreadOfStreamMs = 300_000

export function openForwarder(options: ForwarderOptions): Forwarder {
  const { trustedProxies, bodyLimitBytes, upstreamTimeoutMs, maxUnreadMs } = options
  const memory = new SpoolMemory(options.spool)
  const targets = openTargets(options)

  const endless = new EndlessAnswers()

  async function send({ upstream, url, isStream }: ProxyRoute, { req, res, headers }: Sending) {
    const target = targets[upstream]
    const client = clientNetwork(headers['x-forwarded-for'])
    const share = memory.shareOf(client)
    res.once('close', () => share[Symbol.dispose]())
    const body = await spoolBody(req, { share, limitBytes: bodyLimitBytes })
    if (body === gone) return
    const isLarge = body instanceof LargeBody
    const { slots, way, ...limits } = lineOf(target, {
      isStream,
      isLarge,
      endless,
      upstreamTimeoutMs,
      maxUnreadMs,
    })
    const slot = await slots.take(client)
    if (res.closed || res.writableEnded) return slot[Symbol.dispose]()
    limits.watch?.(req, res)
    if (typeof way === 'function') {
      const { timeoutMs } = limits
      return handOver(way, { req, res, url, headers, body, slot, timeoutMs })
    }
    const reconnect = new Reconnect()
    const sendAgain = (err: Error) => reconnect.after(err)
    const answer = new AnswerRelay({ req, res, slot, sendAgain, maxUnreadMs: limits.maxUnreadMs })
    const refuse = (problem: AppError) => answer.refuse(problem)
    const sent = isLarge ? streamBody(req, body, { limitBytes: bodyLimitBytes, refuse }) : body
    const { host: _host, 'transfer-encoding': _framing, ...onward } = headers
    const request = { path: target.prefix + url, method: req.method, headers: onward, body: sent }
    const dispatch = () => void way.dispatch(request, answer)
    // A streamed body cannot be repeated, because a part may already be consumed.
    if (!isLarge) reconnect.by(dispatch)
    dispatch()
  }

  return {
    endStreams: () => endless.end(),
    forward(route, exchange) {
      const { req, res, next } = exchange
      checkBodyFraming(req, bodyLimitBytes)
      const { requestId, traceparent } = contextOf(res)
      const headers = requestHeaders(req, { requestId, traceparent, trustedProxies })
      send(route, { req, res, headers }).catch((err: unknown) => {
        if (!req.complete) discardRest(req)
        next(err)
      })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(targets).map((target) => target[Symbol.asyncDispose]()))
    },
  }
}

function openTargets({
  upstreams,
  upstreamTimeoutMs,
}: ForwarderOptions): Readonly<Record<Upstream, Target>> {
  return {
    auth: openTarget(upstreams.auth, upstreamTimeoutMs),
    data: openTarget(upstreams.data, upstreamTimeoutMs),
    sources: openTarget(upstreams.sources, upstreamTimeoutMs),
    webhooks: openTarget(upstreams.webhooks, upstreamTimeoutMs),
  }
}

type ForwardedRequest = Pick<ForwarderOptions, 'upstreamTimeoutMs' | 'maxUnreadMs'> & {
  isStream: true | undefined
  isLarge: boolean
  endless: EndlessAnswers
}

/** The connections that the request takes, its limits, and who watches it. */
function lineOf(target: Target, sent: ForwardedRequest) {
  const { isStream, isLarge, endless, upstreamTimeoutMs, maxUnreadMs } = sent
  if (isStream === true) {
    const watch = (_req: Request, res: Response) => endless.add(res)
    const limits = { timeoutMs: maxUnreadOfStreamMs, maxUnreadMs: maxUnreadOfStreamMs }
    return { ...target.endless, ...limits, watch }
  }
  const limits = { timeoutMs: upstreamTimeoutMs, maxUnreadMs }
  if (!isLarge) return { ...target.whole, ...limits, watch: undefined }
  const { stalled, ...line } = target.streams
  return { ...line, ...limits, watch: stalled.add.bind(stalled) }
}
