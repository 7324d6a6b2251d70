import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import type { Answer, Client, Records } from '@surehook/scripts/client/call'
import { type Issuer } from '@surehook/testing/user-issuer'
import { clientOf } from './client.ts'
import { type GraphQLClient, graphqlClientOf } from './graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './under-test.ts'

export type User = Client & { id: string; graphql: GraphQLClient }

export type RulesWorld = {
  readonly manager: Client
  readonly issuer: Issuer
  readonly database: World['database']
  readonly tenant: Tenant
  /** A user with these roles. */
  userWith(...roles: string[]): Promise<User>
  define(table: string, definition: object): Promise<void>
}

/** Runs data-api for the tests of a file, with a new environment for each. */
export function useRulesWorld(): RulesWorld {
  let world: World
  let running: Running
  let tenant: Tenant
  let manager: Client
  beforeAll(async () => {
    world = await openWorld()
    running = await world.startService()
  })
  beforeEach(async () => {
    tenant = await world.tenant()
    manager = clientOf(running.api, tenant)
  })
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })
  return {
    get manager() {
      return manager
    },
    get issuer() {
      return world.issuer
    },
    get database() {
      return world.database
    },
    get tenant() {
      return tenant
    },
    async userWith(...roles) {
      const id = randomUUID()
      const as = { ...tenant, token: await world.issuer.token(tenant, { sub: id, roles }) }
      return { ...clientOf(running.api, as), id, graphql: graphqlClientOf(running.api, as) }
    },
    async define(table, definition) {
      const put = await manager.call(`PUT _tables/${table}`, definition)
      expect([put.status, put.body.violations]).toEqual([200, undefined])
    },
  }
}

export const text = (name: string) => ({ name, type: 'text' })
export const titlesOf = ({ body }: Answer<Records>) =>
  body.records.map(({ title }) => title).toSorted()
export const violationsOf = ({ body }: Answer) =>
  body.violations?.map(({ field, rule }) => [field, rule])
