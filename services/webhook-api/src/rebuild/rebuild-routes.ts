import type { AdminGate } from '@surehook/access/admin-gate'
import { getHistoryRebuild, rebuildHistory } from '@surehook/contracts/http/webhooks/rebuild'
import { mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { Rebuilds } from './open-rebuilds.ts'

/** Routes for the administrator of the platform: the history covers all tenants. */
export function rebuildRoutes({ admit, rebuilds }: { admit: AdminGate; rebuilds: Rebuilds }) {
  const authorize = ({ req }: RequestContext) => admit(req)
  return (router: Router): void => {
    mount(router, rebuildHistory, { authorize, handle: () => rebuilds.ask() })
    mount(router, getHistoryRebuild, {
      authorize,
      handle: async () => ({ rebuild: await rebuilds.newest() }),
    })
  }
}
