import { streamChanges } from '@surehook/contracts/http/webhooks/stream'
import { mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { Streams } from './open-streams.ts'
import type { StreamCaller } from './stream-caller.ts'

export type StreamRoutesDeps = {
  authorize: (ctx: RequestContext) => Promise<StreamCaller>
  streams: Pick<Streams, 'open'>
}

export const streamRoutes =
  ({ authorize, streams }: StreamRoutesDeps) =>
  (router: Router): void =>
    mount(router, streamChanges, {
      authorize,
      handle: ({ query, headers }, context) =>
        streams.open({
          ...context.auth,
          query,
          lastEventId: headers['last-event-id'],
          context,
        }),
    })
