import { AppError, invalid } from '@surehook/service-kit/errors'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { RequestHandler } from 'express'
import type { Forwarder } from './forwarding/forwarder.ts'
import { routeOf } from './routing/route-of.ts'

/** Forwards each request by its path. Passes local paths to the next handler. */
export function dispatch(forwarder: Forwarder): RequestHandler {
  return (req, res, next) => {
    const route = routeOf(req.url)
    switch (route.kind) {
      case 'proxy':
        // A stream lasts for hours. In one histogram it would hide the durations of requests.
        contextOf(res).operation = route.isStream === true ? 'stream' : route.upstream
        return forwarder.forward(route, { req, res, next })
      case 'local':
        contextOf(res).operation = 'gateway'
        // The next handlers match the decoded path that was checked here.
        req.url = route.path
        return next()
      case 'ambiguous':
        throw invalid([
          {
            field: 'path',
            message: 'must be a plain path, without . or .. or //',
            rule: 'invalid_format',
          },
        ])
      case 'none':
        throw new AppError('NOT_FOUND', 'There is nothing at this path')
    }
  }
}
