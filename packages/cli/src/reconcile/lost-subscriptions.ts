import { capturePrefix } from '@surehook/change-capture/emit/capture'
import type { SubscriptionState } from '@surehook/contracts/events'
import {
  columnParameter,
  subscriptionColumns,
} from '@surehook/contracts/events/subscription-columns'
import { SubscriptionKey } from '@surehook/contracts/http/webhooks/names'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { LatestPositions } from '@surehook/kafka/offsets/latest-positions'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Client } from 'pg'
import type { ClusterHistory } from './cluster-history.ts'
import { type RefusedRow, tryRow } from './refused-rows.ts'
import { type KeyedRow, takenKeys } from './taken-keys.ts'

/**
 * Subscriptions whose newest state on the topic is missing in the table. `null` marks a deleted
 * one.
 */
export type LostSubscriptions = ReadonlyMap<string, SubscriptionState | null>

export type ComparedSubscriptions = {
  lost: LostSubscriptions
  /** The keys of lost subscriptions, by id, that another subscription has. */
  taken: ReadonlyMap<string, string>
}

export type SubscriptionStates = {
  take(messages: readonly KafkaMessage[]): Promise<void>
  compare(db: Client): Promise<ComparedSubscriptions>
}

export function readSubscriptions(
  codec: Pick<EventCodec, 'subscription'>,
  history: Pick<ClusterHistory, 'has'>,
): SubscriptionStates {
  const states = new Map<string, SubscriptionState | null>()
  const positions = new LatestPositions()
  return {
    async take(messages) {
      for (const message of messages) {
        const { key, value, headers } = message
        if (key === null || positions.isOutdated(String(key), walPositionOf(headers))) continue
        // The table has every state of the restored WAL, or a later one.
        if (history.has(message)) states.delete(key.toString())
        else states.set(key.toString(), value && withKey(await codec.subscription.decode(value)))
      }
    },
    async compare(db) {
      const { rows } = await db.query<KnownRow>(
        `select id, project_id, environment, key, updated_at, cancellations
         from webhook_api.subscription`,
      )
      const known = new Map(rows.map((row) => [row.id, row]))
      const lost = new Map([...states].filter(([id, state]) => isLost(state, known.get(id))))
      return { lost, taken: takenKeys(lost, rows) }
    },
  }
}

/** The name of a state was its key before states had both. */
const withKey = (state: SubscriptionState): SubscriptionState =>
  state.key === '' ? { ...state, key: keyIn(state.name) } : state

/** During an upgrade an older service may have read a name that is no key. */
const keyIn = (name: string | null): string | null =>
  SubscriptionKey.nullable().safeParse(name).data ?? null

type KnownRow = KeyedRow & { updated_at: Date; cancellations: { askedAt: number }[] }

/**
 * A cancellation does not change `updated_at`; the time of the newest one shows whether it is
 * missing.
 */
function isLost(state: SubscriptionState | null, row: KnownRow | undefined): boolean {
  if (state === null || row === undefined) return (state === null) !== (row === undefined)
  const [here, there] = [row.updated_at.getTime(), Date.parse(state.updatedAt)]
  return here < there || (here === there && newest(row) < newest(state))
}

const newest = ({ cancellations }: { cancellations: readonly { askedAt: number }[] }): number =>
  Math.max(0, ...cancellations.map(({ askedAt }) => askedAt))

/**
 * Restores a subscription without its key if another one has it. Emits the states again, because a
 * slot from the backup will relay older ones after them. Returns the subscriptions that PostgreSQL
 * refused.
 */
export async function writeSubscriptionsBack(
  db: Client,
  { lost, taken }: ComparedSubscriptions,
): Promise<RefusedRow[]> {
  const ids = [...lost.keys()]
  const { rows: keyed } = await db.query<{ id: string; key: string }>(
    `select id, key from webhook_api.subscription
     where id::text = any($1::text[]) and key is not null`,
    [ids],
  )
  // A key may have moved from one of them to another.
  await db.query(
    `update webhook_api.subscription set key = null
     where id::text = any($1::text[])`,
    [ids],
  )
  const refused = new Map<string, RefusedRow>()
  for (const [id, found] of lost) {
    const state = found !== null && taken.has(id) ? { ...found, key: null } : found
    const reason = await tryRow(db, () => writeSubscriptionBack(db, id, state))
    if (reason !== null) refused.set(id, { row: `subscription ${id}`, reason })
  }
  const stillOld = keyed.filter(({ id }) => refused.has(id))
  return [...refused.values(), ...(await giveKeysBack(db, stillOld))]
}

/** Call it after the other rows: one of them may have got a key, and keeps it. */
async function giveKeysBack(
  db: Client,
  keyed: readonly { id: string; key: string }[],
): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = []
  for (const { id, key } of keyed) {
    const reason = await tryRow(db, () =>
      db.query('update webhook_api.subscription set key = $2 where id = $1', [id, key]),
    )
    if (reason !== null) refused.push({ row: `key "${key}" of subscription ${id}`, reason })
  }
  return refused
}

async function writeSubscriptionBack(
  db: Client,
  id: string,
  state: SubscriptionState | null,
): Promise<void> {
  await db.query('delete from webhook_api.subscription_version where subscription_id = $1', [id])
  if (state === null) await db.query('delete from webhook_api.subscription where id = $1', [id])
  else {
    await db.query(upsert, valuesOf(state))
    // webhook-api completes one without a position, as the state of an older one has it.
    const { versions } = state
    const known = versions.length > 0 ? versions : [{ ...state, walPosition: null }]
    await db.query(insertVersions, [id, JSON.stringify(known)])
  }
  const header = JSON.stringify({ topic: subscriptionsTopic, key: id })
  const body = state === null ? '' : JSON.stringify(state)
  await db.query('select pg_logical_emit_message(true, $1::text, $2::text)', [
    capturePrefix('webhook-api'),
    `${header}\n${body}`,
  ])
}

const columns = Object.values(subscriptionColumns)

const upsert = `
  insert into webhook_api.subscription (${columns.join(', ')})
  values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
  on conflict (id) do update set
    ${columns.map((name) => `${name} = excluded.${name}`).join(', ')},
    disabled_at = null, disabled_reason = null`

const insertVersions = `
  insert into webhook_api.subscription_version
    (subscription_id, valid_from, wal_position, active, watched_table, events, filter, selected)
  select $1, "updatedAt", "walPosition", active, "table", events, filter, "select"
  from rows from (jsonb_to_recordset($2) as (
    "updatedAt" timestamptz, "walPosition" text, active boolean, "table" text, events text[],
    filter text, "select" text[])) with ordinality
  order by ordinality`

const fields = Object.keys(subscriptionColumns) as (keyof typeof subscriptionColumns)[]

const valuesOf = (state: SubscriptionState): unknown[] =>
  fields.map((field) => columnParameter(subscriptionColumns[field], state[field]))
