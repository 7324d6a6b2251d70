import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { giveWholeBody } from '@surehook/service-kit/http/json-body'
import type { Request, Response } from 'express'
import { LargeBody } from './spooled-body.ts'

type HandingOver = {
  req: Request
  res: Response
  /** What the service is asked for. */
  url: string
  /** What the service is to see: never those that the client sent. */
  headers: IncomingHttpHeaders
  body: Buffer | LargeBody | null
  /** Given back when the client has its answer. */
  slot: Disposable
  /** When the service answers nothing for so long, or the client reads nothing, the connection is cut. */
  timeoutMs: number
}

/** Lets a service of this process answer the request: it sees what it would see of one that was forwarded to it. */
export function handOver(
  service: RequestListener,
  { req, res, url, headers, body, slot, timeoutMs }: HandingOver,
): void {
  res.once('close', () => slot[Symbol.dispose]())
  res.setTimeout(timeoutMs, () => res.destroy())
  Object.assign(req, { url, originalUrl: url, baseUrl: '', headers })
  // Node makes it of what the client sent, which the gateway has changed.
  req.headersDistinct = Object.fromEntries(
    Object.entries(headers).map(([name, value = []]) => [name, [value].flat()]),
  )
  if (body instanceof LargeBody) req.unshift(body.begun)
  else if (body !== null) giveWholeBody(req, body)
  service(req, res)
}
