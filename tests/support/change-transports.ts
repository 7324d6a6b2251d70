import { randomUUID } from 'node:crypto'
import type { ChangeOperation } from '@surehook/contracts/events'
import { type ChangePublisher, InvalidChangeError } from '@surehook/publisher'
import type { Answer, RequestHeaders } from '@surehook/scripts/client/call'
import type { GraphQLAnswer } from '@surehook/scripts/client/graphql'
import type { Tenant } from '@surehook/scripts/client/tenant'

export type TransportName = 'rest' | 'graphql' | 'topic' | 'http'

export const ordersTable = 'orders'
/** A table that the data API does not have, as publishing over HTTP requires. */
export const publishedTable = 'parcels'

export type NewRecord = { ref: string; lane: string; version: number }

/**
 * A way to change the records of a table. `null` or `false` means that it is unknown whether the
 * change was made.
 */
export type ChangeTransport = {
  readonly name: TransportName
  readonly table: string
  /**
   * True if an unanswered insert may be repeated for the same record, which then gives the same
   * event.
   */
  readonly repeatsInserts: boolean
  /** Resolves with the record's id. */
  insert(record: NewRecord): Promise<string | null>
  update(id: string, version: number): Promise<boolean>
  /** `again` follows an unanswered try, after which the record may already be deleted. */
  delete(id: string, again: boolean): Promise<boolean>
}

/** Returns `null` if the try got 503 or no answer. Any other refusal is a fault of the product. */
async function tried<T extends { status: number; text: string }>(
  call: () => Promise<T>,
  isExpected: (answer: T) => boolean,
  isUnavailable: (answer: T) => boolean,
): Promise<T | null> {
  const answer = await call().catch(() => null)
  if (answer === null || isUnavailable(answer)) return null
  if (isExpected(answer)) return answer
  throw new Error(`a write was answered with ${answer.status}: ${answer.text}`)
}

type TransportOptions = {
  /**
   * If true, each change has an `Idempotency-Key`, the same for all tries. Without it, a frozen
   * process that continues could execute an old try long after the next one.
   */
  keyed?: boolean
}

/** The key of a change, for all its tries. */
const keyOf = ({ keyed = false }: TransportOptions, change: string): RequestHeaders =>
  keyed ? { 'idempotency-key': change } : {}

export function restTransport(tenant: Tenant, options: TransportOptions = {}): ChangeTransport {
  const ask = (expected: number[], request: string, change: string, body?: unknown) =>
    tried(
      () => tenant.rest(request, body, keyOf(options, change)),
      ({ status }) => expected.includes(status),
      is503,
    )
  return {
    name: 'rest',
    table: ordersTable,
    repeatsInserts: options.keyed ?? false,
    insert: async (record) =>
      (await ask([201], 'POST orders', record.ref, record))?.body.id ?? null,
    update: async (id, version) =>
      (await ask([200], `PATCH orders/${id}`, `${id}/${version}`, { version })) !== null,
    delete: async (id, again) =>
      (await ask(again ? [200, 404] : [200], `DELETE orders/${id}`, `${id}/delete`)) !== null,
  }
}

function is503({ status, headers }: Answer): boolean {
  if (status !== 503) return false
  if (!headers.has('retry-after')) throw new Error('503 without Retry-After')
  return true
}

export function graphqlTransport(tenant: Tenant, options: TransportOptions = {}): ChangeTransport {
  const ask = (change: string, mutation: string, variables: object, codes: string[] = []) =>
    tried(
      () => tenant.graphql(mutation, variables, keyOf(options, change)),
      (answer) => answer.codes.every((code) => codes.includes(code)) && answer.status === 200,
      isRefused,
    )
  const insert = 'mutation ($input: Order_new!) { createOrder(input: $input) { id } }'
  const update =
    'mutation ($id: ID!, $n: Int!) { updateOrder(id: $id, input: { version: $n }) { id } }'
  const remove = 'mutation ($id: ID!) { deleteOrder(id: $id) { id } }'
  return {
    name: 'graphql',
    table: ordersTable,
    repeatsInserts: options.keyed ?? false,
    insert: async (record) => {
      const answer = await ask(record.ref, insert, { input: record })
      return answer === null ? null : String(answer.data?.['createOrder']?.id)
    },
    update: async (id, version) =>
      (await ask(`${id}/${version}`, update, { id, n: version })) !== null,
    delete: async (id, again) =>
      (await ask(`${id}/delete`, remove, { id }, again ? ['RECORD_NOT_FOUND'] : [])) !== null,
  }
}

function isRefused({ status, codes }: GraphQLAnswer): boolean {
  return status === 503 || codes.includes('SERVICE_UNAVAILABLE')
}

/** Publishes changes to Kafka as a separate service. */
export function topicTransport(publisher: ChangePublisher, tenant: Tenant): ChangeTransport {
  const { projectId, environment } = tenant
  return publishing('topic', ordersTable, async ({ event, ...change }) => {
    try {
      await publisher.publish([{ ...change, operation: event, projectId, environment }])
      return true
    } catch (err) {
      if (err instanceof InvalidChangeError) throw err
      return false
    }
  })
}

/** Publishes changes over HTTP as a separate service. */
export function httpTransport(tenant: Tenant): ChangeTransport {
  return publishing('http', publishedTable, async (change) => {
    const answer = await tried(
      () => tenant.rest('POST _changes', change),
      ({ status }) => status === 202,
      is503,
    )
    return answer !== null
  })
}

type OwnRecord = NewRecord & { id: string }

type PublishedChange = {
  id: string
  table: string
  event: ChangeOperation
  recordId: string
  record: OwnRecord
  changedFields: string[]
}

/**
 * The publishing service keeps unpublished changes and tries again with the same ids.
 * @param send resolves with false if it is unknown whether the change was published
 */
function publishing(
  name: TransportName,
  table: string,
  send: (change: PublishedChange) => Promise<boolean>,
): ChangeTransport {
  const records = new Map<string, OwnRecord>()
  const kept = new Map<string, string>()
  const publish = async (event: ChangeOperation, record: OwnRecord) => {
    const change = `${record.id}/${event}/${record.version}`
    const id = kept.get(change) ?? randomUUID()
    kept.set(change, id)
    const changedFields = event === 'UPDATE' ? ['version'] : []
    if (!(await send({ id, table, event, recordId: record.id, record, changedFields })))
      return false
    kept.delete(change)
    records.set(record.id, record)
    return true
  }
  const known = (id: string) => {
    const record = records.get(id)
    if (record === undefined) throw new Error(`there is no record ${id}`)
    return record
  }
  return {
    name,
    table,
    repeatsInserts: true,
    insert: async (record) =>
      (await publish('INSERT', { id: record.ref, ...record })) ? record.ref : null,
    update: (id, version) => publish('UPDATE', { ...known(id), version }),
    delete: async (id) => {
      const done = await publish('DELETE', known(id))
      if (done) records.delete(id)
      return done
    },
  }
}
