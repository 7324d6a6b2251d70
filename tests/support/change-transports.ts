import { randomUUID } from 'node:crypto'
import { type ChangePublisher, InvalidChangeError } from '@surehook/publisher'
import type { Answer, Headed } from '@surehook/scripts/client/call'
import type { GraphQLAnswer } from '@surehook/scripts/client/graphql'
import type { Tenant } from '@surehook/scripts/client/tenant'

export type TransportName = 'rest' | 'graphql' | 'topic'

export type NewRecord = { ref: string; lane: string; version: number }

/**
 * A way to change `orders`. `null` or `false` means that it is unknown whether the change was made.
 */
export type ChangeTransport = {
  readonly name: TransportName
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
const keyOf = ({ keyed = false }: TransportOptions, change: string): Headed =>
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

/** Publishes changes as a separate service, which keeps unpublished changes and tries again. */
export function topicTransport(publisher: ChangePublisher, tenant: Tenant): ChangeTransport {
  const records = new Map<string, NewRecord & { id: string }>()
  const kept = new Map<string, string>()
  const publish = async (
    operation: 'INSERT' | 'UPDATE' | 'DELETE',
    record: NewRecord & { id: string },
  ) => {
    const { projectId, environment } = tenant
    const change = `${record.id}/${operation}/${record.version}`
    const id = kept.get(change) ?? randomUUID()
    kept.set(change, id)
    const changedFields = operation === 'UPDATE' ? ['version'] : []
    const event = { id, projectId, environment, table: 'orders', recordId: record.id }
    try {
      await publisher.publish([{ ...event, operation, record, changedFields }])
    } catch (err) {
      if (err instanceof InvalidChangeError) throw err
      return false
    }
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
    name: 'topic',
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
