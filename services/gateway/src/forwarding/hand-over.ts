import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { discardRest } from '@surehook/service-kit/http/discard-rest'
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
  /** When the service answers nothing for so long, or the client has not read its answer, the connection is cut. */
  timeoutMs: number
}

/** Lets a service of this process answer the request: it sees what it would see of one that was forwarded to it. */
export function handOver(
  service: RequestListener,
  { req, res, url, headers, body, slot, timeoutMs }: HandingOver,
): void {
  const limits = limitAnswer(res, timeoutMs)
  res.once('close', () => {
    limits[Symbol.dispose]()
    slot[Symbol.dispose]()
  })
  Object.assign(req, { url, originalUrl: url, baseUrl: '', headers })
  // Node makes it of what the client sent, which the gateway has changed.
  req.headersDistinct = Object.fromEntries(
    Object.entries(headers).map(([name, value = []]) => [name, [value].flat()]),
  )
  if (body instanceof LargeBody) {
    req.unshift(body.begun)
    // Node throws away what is left of a request only while nobody has begun to read it.
    res.once('finish', () => discardRest(req))
  } else if (body !== null) giveWholeBody(req, body)
  service(req, res)
}

/** A client that takes its answer byte by byte would hold its slot for ever. */
function limitAnswer(res: Response, timeoutMs: number): Disposable {
  const cut = () => void res.destroy()
  res.setTimeout(timeoutMs, cut)
  const { end } = res
  let timer: NodeJS.Timeout | undefined
  res.end = (...args: unknown[]) => {
    timer ??= setTimeout(cut, timeoutMs)
    return Reflect.apply(end, res, args) as Response
  }
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
