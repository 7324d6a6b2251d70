import { reEncryptKeys } from '@surehook/contracts/http/admin/re-encryption'
import { invalid } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import * as z from 'zod'
import type { AdminGate } from '../platform/admin-token.ts'
import type { createKeyReEncryption, KeyPosition } from './re-encrypt-keys.ts'

const Position = z.tuple([z.string(), z.string(), z.string()])

/** Routes for the administrator of the platform; they cover all tenants. */
export function reEncryptRoutes(deps: {
  authorize: AdminGate
  reEncryptPage: ReturnType<typeof createKeyReEncryption>
}): (router: Router) => void {
  return (router) =>
    mount(router, reEncryptKeys, {
      authorize: deps.authorize,
      async handle({ query }, { log }) {
        const page = await deps.reEncryptPage(positionOf(query.after))
        if (page.resealed > 0) log.info({ resealed: page.resealed }, 'keys.resealed')
        return page
      },
    })
}

function positionOf(text: string | undefined): KeyPosition | null {
  if (text === undefined) return null
  try {
    return Position.parse(JSON.parse(text))
  } catch {
    const message = 'must be the next of an answer'
    throw invalid([{ field: 'query.after', message, rule: 'invalid_cursor' }])
  }
}
