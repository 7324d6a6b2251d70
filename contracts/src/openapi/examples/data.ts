import { cloudEventBatchType, cloudEventType } from '../../http/data/changes.ts'
import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const updatedAt = '2026-01-02T08:30:00.000Z'
const record = {
  id: ids.record,
  customer: 'Ada',
  status: 'new',
  total: '12.50',
  createdAt,
  updatedAt: createdAt,
}
const paid = { ...record, status: 'paid', updatedAt }
const column = { required: false, unique: false, default: null }
const table = {
  name: 'orders',
  columns: [
    { ...column, name: 'customer', type: 'text', required: true },
    { ...column, name: 'status', type: 'text', default: 'new' },
    { ...column, name: 'total', type: 'decimal' },
  ],
  access: { read: ['clerk'], create: ['clerk'], update: [], delete: [] },
  source: null,
  createdAt,
  updatedAt: createdAt,
}

const invoice = { id: '42', amount: '99.50', paidAt: createdAt }
const cloudEvent = {
  specversion: '1.0',
  id: 'paid-42',
  source: '/billing',
  type: 'com.example.invoice.update',
  subject: 'invoices/42',
  time: createdAt,
  changedfields: 'paidAt',
  data: invoice,
}

const clerk = {
  rule: { role: 'clerk', where: { region: '$user.region' } },
  outcome: 'not_met',
  reason: 'The record does not meet where.region',
} as const

export const dataExamples: OperationExamples = {
  putTable: {
    body: {
      columns: [
        { name: 'customer', type: 'text', required: true },
        { name: 'status', type: 'text', default: 'new' },
        { name: 'total', type: 'decimal' },
      ],
      access: { read: ['clerk'], create: ['clerk'] },
    },
    reply: table,
  },
  listTables: { reply: { tables: [table] } },
  getTable: { reply: table },
  explainAccess: {
    parameters: { recordId: ids.record, 'x-as-user': ids.user },
    reply: {
      recordId: ids.record,
      userId: ids.user,
      roles: ['clerk'],
      read: {
        allowed: false,
        reason: 'No rule of the user admits the record',
        columns: [],
        rules: [
          {
            place: 'access.read.0',
            ...clerk,
            field: 'access.read.0.where.region',
            expected: 'north',
            actual: 'south',
          },
        ],
      },
      update: { allowed: false, reason: 'No role of the user allows this', columns: [], rules: [] },
      delete: { allowed: false, reason: 'No role of the user allows this', rules: [] },
    },
  },
  createRecords: { body: { customer: 'Ada', total: '12.50' }, reply: record },
  listRecords: {
    parameters: { where: '{"status":"paid"}', order: '-total' },
    reply: { records: [paid], nextCursor: null },
  },
  getRecord: { parameters: { id: ids.record }, reply: record },
  updateRecord: {
    parameters: { id: ids.record, 'if-match': '"mjv8u000.6"' },
    body: { status: 'paid' },
    reply: paid,
  },
  deleteRecord: { parameters: { id: ids.record }, reply: paid },
  publishChanges: {
    body: {
      id: ids.event,
      table: 'invoices',
      event: 'UPDATE',
      recordId: '42',
      record: invoice,
      changedFields: ['paidAt'],
    },
    bodies: { [cloudEventType]: cloudEvent, [cloudEventBatchType]: [cloudEvent] },
    reply: { ids: [ids.event] },
  },
  dataGraphQL: {
    body: {
      query:
        'mutation { createOrder(input: { customer: "Ada", total: "12.50" }) { id total status } }',
    },
    reply: { data: { createOrder: { id: ids.record, total: '12.50', status: 'new' } } },
  },
}
