import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionInput,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError } from '@surehook/service-kit/errors'
import { decodeCursor, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import { fitToTable } from '../tables/fit-to-table.ts'
import type { KnownTables } from '../tables/known-tables.ts'
import type { ConnectionSlots } from '../tenants/connection-slots.ts'
import type { KeyedWriter } from '../tenants/keyed-writer.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { fitToLadder, type RetryLadder } from './policy/fit-to-ladder.ts'
import type { SettleFilters } from './settle-filters.ts'
import { announce } from './store/announce.ts'
import { lockedSubscription, ownSubscription } from './store/find-own.ts'
import { noteLongRetries } from './store/long-retries.ts'
import { type SubscriptionRow, toSubscription } from './store/subscription-row.ts'
import * as store from './store/subscription-store.ts'
import {
  changeSubscription,
  filterText,
  newSubscription,
  refuseForeignTenant,
} from './subscription-changes.ts'
import { droppedHeaders, shown } from './subscription-warnings.ts'

export type SubscriptionDeps = {
  pool: Pool
  /** Resolves only once the new state is acknowledged on its topic. */
  writer: StateWriter
  keyedWriter: KeyedWriter
  slots: Pick<ConnectionSlots, 'write'>
  box: SecretBox
  environmentExists: (projectId: string, environment: string) => Promise<boolean>
  tables: Pick<KnownTables, 'current' | 'fieldsOf' | 'awaitsColumns'>
  /** Forgets that the subscription has been failing. */
  forgetFailures: (tx: PoolClient, subscriptionId: string) => Promise<void>
  cancelReplays: (tx: PoolClient, subscriptionId: string) => Promise<void>
  /** Fits filters that were written before their table was known. */
  settling: Pick<SettleFilters, 'look'>
  maxSubscriptions: number
  retryLadder: RetryLadder
}

export type ListQuery = {
  table?: string | undefined
  active?: boolean | undefined
  search?: string | undefined
  fingerprints?: boolean | undefined
  limit: number
  cursor?: string | undefined
}

type TableWish = Pick<
  SubscriptionInput,
  'projectId' | 'environment' | 'table' | 'filter' | 'select'
>

export type Subscriptions = ReturnType<typeof manageSubscriptions>

/** The operations on subscriptions. Every call sees only one tenant. */
export function manageSubscriptions(deps: SubscriptionDeps) {
  const { pool, box } = deps
  return {
    async create(tenant: Tenant, input: SubscriptionInput, key?: string): Promise<Subscription> {
      refuseForeignTenant(input, tenant)
      const policy = fitToLadder(deps.retryLadder, input.policy)
      await refuseUnknownEnvironment(deps, tenant)
      const isKnown = await knowTable(deps.tables, input)
      const asked = { tenant, key, request: ['createWebhook', input] }
      const created = await deps.keyedWriter.write(asked, async (client, emit) => {
        const filter = fitToTable(input.filter, deps.tables.fieldsOf(input))
        const wish = { ...input, filter, policy }
        if ((await store.countSubscriptions(client, tenant)) >= deps.maxSubscriptions) {
          throw tooMany(deps.maxSubscriptions)
        }
        const row = newSubscription(box, wish, { id: randomUUID(), now: new Date() })
        await store.insertSubscription(client, row)
        await noteLongRetries(client, row)
        await announce(client, emit, { before: null, after: row })
        return shown(deps, row)
      })
      if (!isKnown) deps.settling.look(created)
      return created
    },

    async list(tenant: Tenant, { limit, cursor, fingerprints, ...filters }: ListQuery) {
      const after = decodeCursor(store.SubscriptionPosition, cursor)
      await refuseUnknownEnvironment(deps, tenant)
      const query = { ...filters, after, limit: limit + 1 }
      const rows = await store.findSubscriptions(pool, tenant, query)
      const { page, nextCursor } = pageOf(rows, limit, store.positionOf)
      const view = (row: SubscriptionRow): Subscription => ({
        ...shown(deps, row),
        ...(fingerprints && { fingerprints: fingerprintsOf(box, row) }),
      })
      return { webhooks: page.map(view), nextCursor }
    },

    async get(tenant: Tenant, id: string): Promise<Subscription> {
      return shown(deps, await ownSubscription(pool, id, tenant))
    },

    change: (tenant: Tenant, id: string, wish: SubscriptionChange): Promise<Subscription> =>
      change(deps, tenant, { id, change: wish }),

    remove: (tenant: Tenant, id: string): Promise<void> => remove(deps, tenant, id),
  }
}

async function change(
  deps: SubscriptionDeps,
  tenant: Tenant,
  { id, change: wish }: { id: string; change: SubscriptionChange },
): Promise<Subscription> {
  const { tables } = deps
  refuseForeignTenant(wish, tenant)
  const policy = fitToLadder(deps.retryLadder, wish.policy)
  if (asksFields(wish)) await tables.current()
  let isKnown = true
  const changed = await deps.writer.write(async (client, emit) => {
    const before = await lockedSubscription(client, id, tenant)
    const asked = { change: { ...wish, policy }, now: new Date() }
    const wished = changeSubscription(deps.box, before, asked)
    const row = asksFields(wish) ? fittedRow(wished, tables) : wished
    isKnown = tables.fieldsOf(toSubscription(row)) !== undefined
    // Failures from before `active: true` do not count, so it is a change in itself.
    if (wish.active !== true && isSame(row, before)) return null
    await store.updateSubscription(client, row)
    await noteLongRetries(client, row)
    // Failures of an inactive subscription, or of another URL, do not count from now on.
    if (wish.active === true || row.url !== before.url) await deps.forgetFailures(client, row.id)
    await announce(client, emit, { before, after: row, secret: wish.secret })
    return shown(deps, row, droppedHeaders({ change: wish, before }, row))
  }, deps.slots.write(tenant))
  // Nothing was written, but another call may just have written the same.
  if (changed === null) await deps.writer.relayed()
  const read = () => ownSubscription(deps.pool, id, tenant)
  const answer = changed ?? shown(deps, await deps.slots.write(tenant)(read))
  if (!isKnown) deps.settling.look(answer)
  return answer
}

/** Every reader applies each state, so a change of nothing writes none. */
const isSame = (row: SubscriptionRow, before: SubscriptionRow): boolean =>
  isDeepStrictEqual({ ...row, updated_at: before.updated_at }, before)

async function remove(deps: SubscriptionDeps, tenant: Tenant, id: string): Promise<void> {
  const { writer, slots } = deps
  try {
    await writer.write(async (tx, emit) => {
      const row = await lockedSubscription(tx, id, tenant)
      await store.deleteSubscription(tx, row.id)
      await deps.cancelReplays(tx, row.id)
      await deps.forgetFailures(tx, row.id)
      await announce(tx, emit, { before: row, after: null })
    }, slots.write(tenant))
  } catch (err) {
    // A repeated call finds no subscription. It answers 404 only once every reader of the topic
    // knows.
    if (err instanceof AppError && err.code === 'WEBHOOK_NOT_FOUND') await writer.relayed()
    throw err
  }
}

/**
 * @returns true if the table is known, after reading everything that was answered before this call
 */
async function knowTable(tables: SubscriptionDeps['tables'], wish: TableWish): Promise<boolean> {
  const isKnown = () => tables.fieldsOf(wish) !== undefined
  if (wish.filter || wish.select || !isKnown()) await tables.current()
  return isKnown()
}

function fittedRow(row: SubscriptionRow, tables: SubscriptionDeps['tables']): SubscriptionRow {
  const subscription = toSubscription(row)
  const fields = tables.fieldsOf(subscription)
  return { ...row, filter: filterText(fitToTable(subscription.filter, fields)) }
}

/** A change of other fields may keep fields that the table has since lost. */
const asksFields = ({ table, filter, select }: SubscriptionChange): boolean =>
  table !== undefined || filter !== undefined || select !== undefined

async function refuseUnknownEnvironment(
  { environmentExists }: SubscriptionDeps,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
}

const tooMany = (limit: number) =>
  new AppError('CONFLICT', `The environment has its ${limit} subscriptions; delete one first`)
