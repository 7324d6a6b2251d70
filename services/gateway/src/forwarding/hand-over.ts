import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { discardRest } from '@surehook/service-kit/http/discard-rest'
import { giveWholeBody } from '@surehook/service-kit/http/json-body'
import type { Request, Response } from 'express'
import { LargeBody } from './request-body/spooled-body.ts'

type HandingOver = {
  req: Request
  res: Response
  /** The path and query that the service sees. */
  url: string
  /** The headers that the service sees, after `requestHeaders`; never the client's own. */
  headers: IncomingHttpHeaders
  body: Buffer | LargeBody | null
  /** Disposed when the client has its answer. */
  slot: Disposable
  /**
   * The connection is cut if the service sends nothing for this long, or if the client has not read
   * its answer by then.
   */
  timeoutMs: number
}

/**
 * Lets a service in this process answer the request. The service sees the same request as if it had
 * been forwarded.
 */
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
  // Node derives it from the client's headers, which the gateway has replaced.
  req.headersDistinct = valuesOf(headers)
  if (body instanceof LargeBody) {
    req.unshift(body.begun)
    // Node discards the rest of a request only if nobody has begun to read it.
    res.once('finish', () => discardRest(req))
  } else if (body !== null) giveWholeBody(req, body)
  service(req, res)
}

function valuesOf(headers: IncomingHttpHeaders): NodeJS.Dict<string[]> {
  const values: NodeJS.Dict<string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) values[name] = typeof value === 'string' ? [value] : value
  }
  return values
}

/** Without a limit, a client that reads its answer byte by byte would hold its slot for ever. */
function limitAnswer(res: Response, timeoutMs: number): Disposable {
  const cut = () => void res.destroy()
  res.setTimeout(timeoutMs, cut)
  const { end } = res
  let timer: NodeJS.Timeout | undefined
  res.end = (...args: unknown[]) => {
    // After the close nothing clears the timer, and it would keep the process alive.
    const ended = Reflect.apply(end, res, args) as Response
    // Mostly the kernel has taken all of it.
    if (!res.closed && res.writableLength > 0) timer ??= setTimeout(cut, timeoutMs)
    return ended
  }
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
