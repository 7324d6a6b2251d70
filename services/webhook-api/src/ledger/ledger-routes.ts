import type { AdminGate } from '@surehook/access/admin-gate'
import { getLedger } from '@surehook/contracts/http/webhooks/ledger'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Ledgers } from './ledgers.ts'

/** The response sends something this often, so that no proxy closes the connection as idle. */
const sayEveryMs = 5_000

/** Routes for the administrator of the platform; they cover all tenants. */
export function ledgerRoutes(deps: {
  admit: AdminGate
  ledgers: Ledgers
}): (router: Router) => void {
  const { admit, ledgers } = deps
  return (router) =>
    mount(router, getLedger, {
      authorize: ({ req }) => admit(req),
      async handle({ query }, ctx) {
        using _waiting = ctx.keepWaiting(sayEveryMs)
        return await ledgers.ask(query, ctx.signal)
      },
    })
}
