import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { ManagementRight } from '@surehook/contracts/rights'
import {
  callWithToken,
  managementOperations,
  otherRights,
} from '@surehook/scripts/lib/management-operations'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await world.tenant()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const tokenWith = (rights: ManagementRight[]) => world.token(tenant.projectId, { rights })

const operations = managementOperations('webhooks').filter(({ right }) => right !== undefined)

describe('a management token', () => {
  it.each(operations)(
    'needs the right $right for $id',
    async ({ right = 'users', ...operation }) => {
      const call = async (rights: ManagementRight[]) =>
        callWithToken(operation, { api: service.api, tenant, token: await tokenWith(rights) })
      const refused = await call(otherRights(right))
      expect(refused.status).toBe(403)
      expect(refused.text).toContain(`The management token has no right \\"${right}\\"`)
      expect(refused.text).toContain('"FORBIDDEN"')
      const { status } = await call([right])
      expect([401, 403]).not.toContain(status)
    },
  )
})
