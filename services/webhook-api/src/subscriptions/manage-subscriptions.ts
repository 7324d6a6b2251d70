import { randomUUID } from 'node:crypto'
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionInput,
} from '@surehook/contracts/http/webhooks'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import type { StateWriter } from '@surehook/service-kit/capture/state-writer'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError } from '@surehook/service-kit/errors'
import { CursorTime, decodeCursor, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import {
  changeSubscription,
  newSubscription,
  refuseForeignTenant,
  type Tenant,
} from './subscription-changes.ts'
import { type SubscriptionRow, toState, toSubscription } from './subscription-row.ts'
import * as store from './subscription-store.ts'

export type SubscriptionDeps = {
  pool: Pool
  /** Its writes answer only once the new state is acknowledged on its topic. */
  writer: StateWriter
  box: SecretBox
  environmentExists: (projectId: string, environment: string) => Promise<boolean>
  maxSubscriptions: number
}

export type ListQuery = {
  table?: string | undefined
  active?: boolean | undefined
  limit: number
  cursor?: string | undefined
}

const Position = z.tuple([CursorTime, z.uuid()])

export type Subscriptions = ReturnType<typeof manageSubscriptions>

/** The life of a subscription. Every call is about one tenant and knows nothing of any other. */
export function manageSubscriptions(deps: SubscriptionDeps) {
  const { pool, writer, box } = deps
  return {
    async create(tenant: Tenant, input: SubscriptionInput): Promise<Subscription> {
      refuseForeignTenant(input, tenant)
      await refuseUnknownEnvironment(deps, tenant)
      return writer.write(async (client, emit) => {
        if ((await store.countSubscriptions(client, tenant)) >= deps.maxSubscriptions) {
          throw tooMany(deps.maxSubscriptions)
        }
        const row = newSubscription(box, input, { id: randomUUID(), now: new Date() })
        await store.insertSubscription(client, row)
        await emit({ topic: subscriptionsTopic, key: row.id, state: toState(row) })
        return toSubscription(row)
      })
    },

    async list(tenant: Tenant, { limit, cursor, ...filters }: ListQuery) {
      const after = decodeCursor(Position, cursor)
      await refuseUnknownEnvironment(deps, tenant)
      const query = { ...filters, after, limit: limit + 1 }
      const rows = await store.findSubscriptions(pool, tenant, query)
      const { page, nextCursor } = pageOf(rows, limit, (row) => [row.created_at, row.id])
      return { webhooks: page.map(toSubscription), nextCursor }
    },

    async get(tenant: Tenant, id: string): Promise<Subscription> {
      const row = isUuid(id) ? await store.findSubscription(pool, id, tenant) : undefined
      if (row === undefined) throw notFound()
      return toSubscription(row)
    },

    async change(tenant: Tenant, id: string, change: SubscriptionChange): Promise<Subscription> {
      refuseForeignTenant(change, tenant)
      return writer.write(async (client, emit) => {
        const current = await locked(client, id, tenant)
        const row = changeSubscription(box, current, { change, now: new Date() })
        await store.updateSubscription(client, row)
        await emit({ topic: subscriptionsTopic, key: row.id, state: toState(row) })
        return toSubscription(row)
      })
    },

    async remove(tenant: Tenant, id: string): Promise<void> {
      await writer.write(async (client, emit) => {
        const { id: key } = await locked(client, id, tenant)
        await store.deleteSubscription(client, key)
        await emit({ topic: subscriptionsTopic, key, state: null })
      })
    },
  }
}

async function refuseUnknownEnvironment(
  { environmentExists }: SubscriptionDeps,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
}

async function locked(client: PoolClient, id: string, tenant: Tenant): Promise<SubscriptionRow> {
  const row = isUuid(id) ? await store.lockSubscription(client, id, tenant) : undefined
  if (row === undefined) throw notFound()
  return row
}

const isUuid = (id: string) => z.uuid().safeParse(id).success
const notFound = () => new AppError('WEBHOOK_NOT_FOUND', 'No such webhook')
const tooMany = (limit: number) =>
  new AppError('CONFLICT', `The environment has its ${limit} subscriptions; delete one first`)
