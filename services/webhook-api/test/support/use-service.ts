import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Config } from '../../src/config.ts'
import { clientOf, type WebhooksClient } from './client.ts'
import { openWorld, type Running, type Tenant, type World } from './under-test.ts'

export type ServiceUnderTest = {
  readonly world: World
  readonly service: Running
  /** A new tenant for each test. */
  readonly tenant: Tenant
  /** Calls the service as the tenant. */
  readonly client: WebhooksClient
}

/** Runs the service for the tests of a file. */
export function useService(change: Partial<Config> = {}): ServiceUnderTest {
  const under = {} as { -readonly [Part in keyof ServiceUnderTest]: ServiceUnderTest[Part] }
  beforeAll(async () => {
    under.world = await openWorld()
    under.service = await under.world.startService(change)
  })
  afterAll(async () => {
    await under.service?.[Symbol.asyncDispose]()
    await under.world?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    under.tenant = await under.world.tenant()
    under.client = clientOf(under.service.api, under.tenant)
  })
  return under
}
