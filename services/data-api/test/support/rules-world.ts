import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import type { Answer, Client, Records } from '@surehook/scripts/client/call'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type Issuer } from '@surehook/testing/user-issuer'
import { clientOf } from './client.ts'
import { type GraphQLClient, graphqlClientOf } from './graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './under-test.ts'

type Caller = Client & { graphql: GraphQLClient }
export type User = Caller & { id: string }

export type RulesWorld = {
  readonly manager: Client
  readonly issuer: Issuer
  readonly world: Pick<World, 'tenant' | 'token' | 'setUp'>
  readonly database: World['database']
  readonly tenant: Tenant
  /** A user with these roles. */
  userWith(...roles: string[]): Promise<User>
  /** A management token that sends the header to read as the user. */
  asUser(id: string, token?: string): Caller
  define(table: string, definition: object): Promise<void>
}

/** Runs data-api for the tests of a file, with a new environment for each. */
export function useRulesWorld(logger?: Logger): RulesWorld {
  let world: World
  let running: Running
  let tenant: Tenant
  let manager: Client
  beforeAll(async () => {
    world = await openWorld()
    running = await world.startService({}, logger)
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
    get world() {
      return world
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
    asUser(id, token = tenant.token) {
      const [as, header] = [{ ...tenant, token }, { 'x-as-user': id }]
      const client = clientOf(running.api, as)
      const graphql = graphqlClientOf(running.api, as)
      return {
        call: (request, body, headers) => client.call(request, body, { ...header, ...headers }),
        graphql: (query, variables, headers) =>
          graphql(query, variables, { ...header, ...headers }),
      }
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
