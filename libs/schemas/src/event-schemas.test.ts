import { describe, expect, it } from '@jest/globals'
import { aSubscription } from '@surehook/contracts/testing/samples'
import avro from 'avsc'
import type { EventTypes } from './codec.ts'
import { eventSchemas } from './event-schemas.ts'
import { AvroTypeCodec } from './type-codec.ts'

const at = '2026-11-21T12:00:00.000Z'
const tenant = { projectId: 'shop', environment: 'live' }
const delivery = { ...tenant, deliveryId: 'd', eventId: 'e', subscriptionId: 's', url: 'https://a' }

/** Two values of each type: one with every field set, one as empty as its type allows. */
const examples: { [Name in keyof EventTypes]: EventTypes[Name][] } = {
  change: [
    {
      ...tenant,
      id: 'e',
      timestamp: at,
      table: 'orders',
      recordId: '7',
      operation: 'UPDATE',
      record: '{"id":"7"}',
      changedFields: ['total'],
      source: 'data-api',
      requestId: 'r',
      traceparent: '00-1-2-01',
      previous: '{"total":1}',
    },
    {
      ...tenant,
      id: 'e',
      timestamp: at,
      table: 'orders',
      recordId: '7',
      operation: 'DELETE',
      record: '',
      changedFields: [],
      source: '',
      requestId: null,
      traceparent: null,
      previous: null,
    },
  ],
  environment: [
    {
      ...{ ...tenant, settings: '{}', updatedAt: at, deletedAt: at, keyEpoch: 3 },
      ...{ createdAt: at, changesFrom: { topicId: '0f', offsets: [0, 2 ** 40] } },
    },
    {
      ...{ ...tenant, settings: '', updatedAt: '', deletedAt: null, keyEpoch: 0 },
      ...{ createdAt: null, changesFrom: null },
    },
  ],
  managementToken: [
    {
      id: 't',
      projectId: 'shop',
      name: 'ci',
      tokenHash: 'ab',
      environments: ['live'],
      createdAt: at,
      expiresAt: at,
      rights: ['records', 'users'],
    },
    {
      id: 't',
      projectId: 'shop',
      name: '',
      tokenHash: '',
      environments: null,
      createdAt: at,
      expiresAt: null,
      rights: null,
    },
  ],
  environmentPurge: [{ ...tenant, service: 'data-api', deletedAt: at }],
  alert: [
    {
      ...{ ...tenant, id: 'alert-1', environmentCreatedAt: at, at, more: 0 },
      webhooks: [
        {
          ...{ webhookId: 'hook-1', name: 'Orders', recovered: false, since: at },
          ...{ circuitOpened: true, deadLetters: 2, paused: 3, deactivated: null },
        },
        {
          ...{ webhookId: 'hook-2', name: null, recovered: true, since: at },
          ...{ circuitOpened: false, deadLetters: 1, paused: 0, deactivated: 'Gone' },
        },
      ],
    },
    { ...tenant, id: 'alert-2', environmentCreatedAt: null, at, webhooks: [], more: 3 },
  ],
  table: [
    {
      ...tenant,
      name: 'orders',
      columns: [{ name: 'total', type: 'decimal' }],
      updatedAt: at,
      access: '["*"]',
      createdAt: at,
      source: { name: 'shop', relation: 'public.orders', exclude: ['ssn'] },
    },
    {
      ...{ ...tenant, name: 'orders', columns: [], updatedAt: '' },
      ...{ access: null, createdAt: null, source: null },
    },
  ],
  sourceColumns: [
    {
      ...{ ...tenant, table: 'orders', tableCreatedAt: at, updatedAt: at },
      columns: [{ name: 'Total sum', type: 'decimal' }],
    },
  ],
  subscription: [
    aSubscription({
      filter: '{"a":1}',
      select: ['a'],
      secrets: [
        { ciphertext: 'v1.a', validUntil: null },
        { ciphertext: 'v1.b', validUntil: at },
      ],
      policy: {
        headers: { names: ['X-A'], ciphertext: 'v1.h' },
        retryAfter: true,
        gone: 'deactivate',
        retryDelays: ['1s', '8h'],
        concurrency: 1,
        perSecond: 0.1,
        ordered: 'record',
      },
      cancellations: [{ status: 'paused', until: 2 ** 41, askedAt: 2 ** 41 + 1 }],
      versions: [
        {
          walPosition: '7/00000001/00000000000000ff',
          updatedAt: at,
          active: true,
          table: 'orders',
          events: ['INSERT'],
          filter: '{"a":1}',
          select: ['a'],
        },
        {
          ...{ walPosition: '', updatedAt: '', active: false, table: '', events: [] },
          ...{ filter: null, select: null },
        },
      ],
      name: 'Billing of ACME',
      key: 'billing',
      description: 'For accounting',
    }),
    aSubscription({ events: [], url: '', active: false }),
  ],
  job: [
    {
      ...delivery,
      webhookId: 'w',
      table: 'orders',
      operation: 'INSERT',
      body: Buffer.from([0, 255, 13, 10]),
      createdAt: Date.parse(at),
      attempt: 5,
      step: 9,
      dueAt: Date.parse(at),
      arrival: 2 ** 40,
      redeliveryOf: 'd0',
      traceparent: '00-1-2-01',
      notBefore: Date.parse(at),
      waitMs: 3_600_000,
      recordId: 'o1',
    },
    {
      ...delivery,
      webhookId: 'w',
      table: 'orders',
      operation: 'INSERT',
      body: Buffer.alloc(0),
      createdAt: 0,
      attempt: 1,
      step: 0,
      dueAt: 0,
      arrival: -1,
      redeliveryOf: null,
      traceparent: null,
      notBefore: 0,
      waitMs: 0,
      recordId: null,
    },
  ],
  attempt: [
    {
      ...delivery,
      createdAt: Date.parse(at),
      step: 1,
      status: 'dead_letter',
      attempts: 5,
      attempted: true,
      at: Date.parse(at),
      httpStatus: 500,
      latencyMs: 12,
      errorClass: 'http',
      errorMessage: 'no',
      answer: 'no \uFFFD',
      nextAttemptAt: Date.parse(at),
      change: { table: 'orders', operation: 'UPDATE', recordId: '42', redeliveryOf: 'd0' },
    },
    {
      ...delivery,
      createdAt: 0,
      step: 0,
      status: 'paused',
      attempts: 0,
      attempted: false,
      at: 0,
      httpStatus: null,
      latencyMs: null,
      errorClass: null,
      errorMessage: null,
      answer: null,
      nextAttemptAt: null,
      change: null,
    },
  ],
  revocation: [
    { ...tenant, sessionId: 's', minGeneration: 2 ** 31 - 1, expiresAt: at },
    { ...tenant, sessionId: '', minGeneration: 0, expiresAt: at },
  ],
  invalid: [
    {
      topic: 'changes',
      partition: 3,
      offset: '9007199254740993',
      key: Buffer.from('k'),
      value: Buffer.from([1, 2]),
      reason: 'no schema',
      refusedBy: 'webhook-matcher',
      at: Date.parse(at),
    },
    {
      topic: '',
      partition: 0,
      offset: '',
      key: null,
      value: null,
      reason: '',
      refusedBy: '',
      at: 0,
    },
  ],
}

const names = Object.keys(examples) as (keyof EventTypes)[]

describe('every event type', () => {
  it.each(names)('%s survives a round trip through its Avro schema', async (name) => {
    const neverAsked = () => Promise.reject(new Error('its own schema needs no registry'))
    const codec = new AvroTypeCodec(eventSchemas[name].type, 1, neverAsked)
    for (const value of examples[name]) {
      expect(await codec.decode(codec.encode(value))).toEqual(value)
    }
  })

  it.each(names)('%s has a value for each field in some example', (name) => {
    const values: readonly Record<string, unknown>[] = examples[name]
    const unset = Object.keys(values[0] ?? {}).filter((field) =>
      values.every((value) => value[field] === null),
    )
    expect(unset).toEqual([])
  })
})

/** Before subscriptions had keys, their name was the key. */
describe('a subscription of a service without keys', () => {
  const { type, json } = eventSchemas.subscription
  const { fields, ...record } = json as { fields: { name: string }[] }
  const older = avro.Type.forSchema({
    ...record,
    fields: fields.filter(({ name }) => name !== 'key' && name !== 'description'),
  } as unknown as avro.Schema)

  it('is read with an empty key', () => {
    const bytes = older.toBuffer(aSubscription({ name: 'billing' }))
    const read = type.fromBuffer(bytes, type.createResolver(older))
    expect(read).toMatchObject({ name: 'billing', key: '', description: null })
  })

  it('is relayed from the WAL with an empty key', () => {
    const { key: _, description: __, ...state } = aSubscription({ name: 'billing' })
    expect(type.fromBuffer(type.toBuffer(state))).toMatchObject({ name: 'billing', key: '' })
  })

  it('reads those with keys', () => {
    const bytes = type.toBuffer(aSubscription({ name: 'Billing of ACME', key: 'billing' }))
    const read = older.fromBuffer(bytes, older.createResolver(type))
    expect(read).toMatchObject({ name: 'Billing of ACME' })
  })
})
