import { withoutQuery } from '@surehook/contracts/events/delivery-events'
import {
  type InstallationHealth,
  installationLimits,
} from '@surehook/contracts/http/webhooks/installation'
import { endpointId } from '@surehook/contracts/ids'
import type { Pool } from 'pg'
import type { CircuitReading, Circuits } from '../endpoints/circuits.ts'
import { webhookNameSql } from '../subscriptions/store/names-of.ts'

type CircuitsView = NonNullable<InstallationHealth['circuits']>

/** A failing subscription. */
export type FailingSubscription = {
  id: string
  projectId: string
  environment: string
  url: string
  /** Its name, or else its key. */
  name: string | null
}

/**
 * Reads the open circuits of all tenants. A circuit opens only after failures, so only endpoints
 * of subscriptions whose last attempt failed are read.
 */
export async function readOpenCircuits(
  { pool, circuits }: { pool: Pool; circuits: Pick<Circuits, 'read'> },
  now: number,
): Promise<CircuitsView> {
  const { failing: most } = installationLimits
  const { rows } = await pool.query<FailingSubscription>(
    `select s.id, s.project_id as "projectId", s.environment, s.url, ${webhookNameSql} as name
     from failing_subscription f join subscription s on s.id = f.subscription_id
     order by f.failed_at desc limit $1`,
    [most + 1],
  )
  const endpoints = endpointsOf(rows.slice(0, most))
  const readings = await circuits.read(
    [...endpoints].map(([id, of]) => ({ id, webhooks: of.map((one) => one.id) })),
  )
  return { ...openAmong(endpoints, readings, now), isComplete: rows.length <= most }
}

type Endpoints = ReadonlyMap<string, readonly FailingSubscription[]>

export function endpointsOf(failing: readonly FailingSubscription[]): Endpoints {
  return Map.groupBy(failing, endpointId)
}

/** `readings` are in the order of the endpoints. */
export function openAmong(
  endpoints: Endpoints,
  readings: readonly CircuitReading[],
  now: number,
): Omit<CircuitsView, 'isComplete'> {
  const open = [...endpoints].flatMap(([id, failing], index) => {
    const { openUntil: sharedUntil = 0, own } = readings[index] ?? {}
    const untilOf = ({ id: webhook }: FailingSubscription) =>
      Math.max(sharedUntil, own?.get(webhook) ?? 0)
    const held = failing.filter((one) => untilOf(one) > now)
    const [first] = held
    if (first === undefined) return []
    const { projectId, environment, url } = first
    const names = held.flatMap(({ id: webhook, name }) => (name === null ? [] : [[webhook, name]]))
    return [
      {
        ...{ projectId, environment, endpointId: id, url: withoutQuery(url) },
        openUntil: new Date(Math.min(...held.map(untilOf))).toISOString(),
        webhooks: held.map((one) => one.id),
        ...(names.length > 0 && { webhookNames: Object.fromEntries(names) }),
      },
    ]
  })
  const { circuits: shown } = installationLimits
  return { open: open.slice(0, shown), leftOut: Math.max(0, open.length - shown) }
}
