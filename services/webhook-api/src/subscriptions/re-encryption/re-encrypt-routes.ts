import type { AdminGate } from '@surehook/access/admin-gate'
import { reEncryptSecrets } from '@surehook/contracts/http/admin/re-encryption'
import { invalid } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import * as z from 'zod'
import type { createSecretReEncryption } from './re-encrypt-secrets.ts'

const Position = z.uuid().optional()

/** Routes for the administrator of the platform; they cover all tenants. */
export function reEncryptRoutes(deps: {
  admit: AdminGate
  reEncryptPage: ReturnType<typeof createSecretReEncryption>
}): (router: Router) => void {
  const { admit, reEncryptPage } = deps
  return (router) =>
    mount(router, reEncryptSecrets, {
      authorize: ({ req }) => admit(req),
      async handle({ query }, { log }) {
        const after = Position.safeParse(query.after)
        if (!after.success) {
          throw invalid([
            {
              field: 'query.after',
              message: 'must be the next of an answer',
              rule: 'invalid_cursor',
            },
          ])
        }
        const page = await reEncryptPage(after.data)
        if (page.resealed > 0) log.info({ resealed: page.resealed }, 'secrets.resealed')
        return page
      },
    })
}
