import { createdAt, type OperationExamples } from './operation-example.ts'

const source = {
  name: 'shop',
  url: 'postgresql://surehook@db.example.com:5432/shop',
  publication: 'surehook',
  walBudget: 1_073_741_824,
  slot: 'surehook_0199a1cc8b657da4abf05a6b7c8d9ea0',
  state: 'capturing',
  reason: null,
  findings: [],
  tables: [{ table: 'orders', relation: 'public.orders' }],
  retainedBytes: 57_344,
  budgetEndsInS: null,
  lastChangeAt: '2026-01-02T08:30:00.000Z',
  gap: null,
  createdAt,
  updatedAt: createdAt,
}
const unprepared = {
  ...source,
  state: 'unprepared',
  findings: [
    {
      level: 'wrong',
      relation: 'public.orders',
      says: 'The publication lacks public.orders',
      advice: null,
      sql: ['ALTER PUBLICATION surehook ADD TABLE public.orders;'],
    },
  ],
  retainedBytes: null,
  lastChangeAt: null,
}

export const sourceExamples: OperationExamples = {
  putSource: {
    body: {
      url: 'postgresql://surehook:password@db.example.com:5432/shop',
      publication: 'surehook',
      walBudget: 1_073_741_824,
    },
    reply: { ...unprepared, state: 'pending', findings: [], tables: [] },
  },
  listSources: { reply: { sources: [source] } },
  getSource: { reply: unprepared },
  deleteSource: { reply: { slotDropped: true, sql: [] } },
}
