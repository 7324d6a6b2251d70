import type { IncomingMessage } from 'node:http'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { RequestHandler, Response } from 'express'
import { corsHeaders, type Headers } from './cors-headers.ts'

/**
 * Lets pages of the allowed origins call (Fetch standard, CORS protocol). It answers preflights
 * itself, because they carry no credential for a service to check. It adds the headers to every
 * other answer, also to the gateway's own.
 */
export function allowOrigins(allowed: readonly string[], next: RequestHandler): RequestHandler {
  const headersOf = corsHeaders(allowed)
  return (req, res, toRoutes) => {
    const { preflight, answer } = headersOf(req.headers.origin)
    if (isPreflight(req)) {
      contextOf(res).operation = 'preflight'
      setAll(res, preflight)
      res.writeHead(204).end()
      return
    }
    setAll(res, answer)
    return next(req, res, toRoutes)
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

function setAll(res: Response, headers: Headers): void {
  for (const [name, value] of headers) res.setHeader(name, value)
}
