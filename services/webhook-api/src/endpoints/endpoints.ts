import { withoutQuery } from '@surehook/contracts/events/delivery-events'
import { countedPaused, type Endpoint } from '@surehook/contracts/http/webhooks/endpoints'
import { endpointId } from '@surehook/contracts/ids'
import { AppError } from '@surehook/service-kit/errors'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import * as z from 'zod'
import { webhookNameSql } from '../subscriptions/store/names-of.ts'
import type { ReadSlots } from '../tenants/connection-slots.ts'
import type { Pools } from '../tenants/open-database.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { CircuitReading, Circuits } from './circuits.ts'

type EndpointsDeps = Pools & { slots: ReadSlots; circuits: Circuits; now: () => number }
export type Endpoints = ReturnType<typeof endpointsOfTenants>

type KnownEndpoint = {
  id: string
  url: string
  webhooks: string[]
  names: Record<string, string> | null
}

const Position = z.string().regex(/^[0-9a-f]{32}$/)

/** Shows the endpoints of one tenant's subscriptions with their circuits, and closes circuits. */
export function endpointsOfTenants({ pool, historyPool, slots, circuits, now }: EndpointsDeps) {
  const readKnown = (tenant: Tenant) => slots.read(tenant)(() => knownEndpoints(pool, tenant))
  const shownAll = async (tenant: Tenant, known: readonly KnownEndpoint[]): Promise<Endpoint[]> => {
    const [readings, paused] = await Promise.all([
      circuits.read(known),
      slots.history(tenant)(() => countPaused(historyPool, known)),
    ])
    return known.map((endpoint, index) =>
      shown(endpoint, readings[index], { paused: paused.get(endpoint.id) ?? 0, now: now() }),
    )
  }
  const find = async (tenant: Tenant, id: string): Promise<KnownEndpoint> => {
    const found = (await readKnown(tenant)).find((one) => one.id === id)
    if (found === undefined) throw new AppError('ENDPOINT_NOT_FOUND', 'No such endpoint')
    return found
  }
  return {
    async list(tenant: Tenant, { limit, cursor }: Page) {
      const after = decodeCursor(Position, cursor)
      const all = await readKnown(tenant)
      const rest = all.filter(({ id }) => after === null || id > after)
      const { page, nextCursor } = pageOf(rest.slice(0, limit + 1), limit, ({ id }) => id)
      return { endpoints: await shownAll(tenant, page), nextCursor }
    },

    async get(tenant: Tenant, id: string): Promise<Endpoint> {
      const [endpoint] = await shownAll(tenant, [await find(tenant, id)])
      if (endpoint === undefined) throw new Error('one endpoint makes one answer')
      return endpoint
    },

    async close(tenant: Tenant, id: string): Promise<void> {
      await circuits.close(await find(tenant, id))
    },
  }
}

/** Returns the tenant's endpoints in the order of their ids. */
async function knownEndpoints(pool: Pool, tenant: Tenant): Promise<KnownEndpoint[]> {
  const { projectId, environment } = tenant
  const { rows } = await pool.query<Omit<KnownEndpoint, 'id'>>(
    `select url, array_agg(id::text order by created_at, id) as webhooks,
            json_object_agg(id, ${webhookNameSql}) filter (where ${webhookNameSql} is not null)
              as names
     from subscription where project_id = $1 and environment = $2 group by url`,
    [projectId, environment],
  )
  return rows
    .map((row) => ({ id: endpointId({ ...tenant, url: row.url }), ...row }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Counts the paused deliveries of each endpoint, up to `countedPaused`. */
async function countPaused(
  historyPool: Pool,
  endpoints: readonly KnownEndpoint[],
): Promise<ReadonlyMap<string, number>> {
  const places = endpoints.flatMap(({ id, webhooks }) => webhooks.map((one) => [id, one] as const))
  const { rows } = await historyPool.query<{ endpoint: string; count: number }>(
    `select endpoint, least(sum(count), ${countedPaused})::integer as count
     from unnest($1::text[], $2::uuid[]) as place (endpoint, webhook),
       lateral (select count(*) from (
         select from delivery where subscription_id = webhook and status = 'paused'
         limit ${countedPaused}) of_one) counted
     group by endpoint`,
    [places.map(([id]) => id), places.map(([, webhook]) => webhook)],
  )
  return new Map(rows.map(({ endpoint, count }) => [endpoint, count]))
}

const nothingRead: CircuitReading = { failures: 0, openUntil: 0, inFlight: 0, own: new Map() }

function shown(
  { id, url, webhooks, names }: KnownEndpoint,
  reading: CircuitReading = nothingRead,
  { paused, now }: { paused: number; now: number },
): Endpoint {
  const { failures, inFlight, own, openUntil: sharedUntil } = reading
  const refusedWebhooks = webhooks.filter((webhook) => (own.get(webhook) ?? 0) > now)
  const isRefused = refusedWebhooks.length === webhooks.length
  const opens = isRefused ? Math.min(...own.values()) : 0
  const openUntil = Math.max(sharedUntil, opens)
  const isOpen = openUntil > now
  return {
    id,
    url: withoutQuery(url),
    webhooks,
    ...(names && { webhookNames: names }),
    circuit: isOpen ? 'open' : 'closed',
    openUntil: isOpen ? new Date(openUntil).toISOString() : null,
    refusedWebhooks,
    consecutiveFailures: failures,
    inFlight,
    paused,
  }
}
