import * as z from 'zod'
import { defineOperation } from '../../operation.ts'

const number = z.int().min(0)

export const HistoryRebuild = z
  .object({
    id: z.uuid(),
    state: z.enum(['running', 'done']),
    askedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    read: number.describe('Records that are in the history again'),
    toRead: number.describe('Records to read in total. 0 while unknown'),
    since: z.iso.datetime().nullable().describe('When the oldest record on the topics was written'),
  })
  .meta({ id: 'HistoryRebuild' })
export type HistoryRebuild = z.infer<typeof HistoryRebuild>

const path = '/api/rest/_webhooks/_history/rebuild'
const common = { tag: 'installation', security: 'admin', path } as const
const errors = [
  'ADMIN_TOKEN_INVALID',
  'FORBIDDEN',
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
] as const

export const rebuildHistory = defineOperation({
  ...common,
  id: 'rebuildHistory',
  method: 'post',
  summary: 'Rebuild the delivery history',
  description:
    'Empties the delivery history of all tenants and reads it again from the topics. ' +
    'Deliveries continue meanwhile. If a rebuild is running, the answer describes that ' +
    'rebuild.',
  reply: { status: 202, schema: HistoryRebuild },
  errors,
})

export const getHistoryRebuild = defineOperation({
  ...common,
  id: 'getHistoryRebuild',
  method: 'get',
  summary: 'Get the newest rebuild',
  description:
    'Returns the progress of the newest rebuild of the delivery history, or null before the ' +
    'first one.',
  reply: { status: 200, schema: z.object({ rebuild: HistoryRebuild.nullable() }) },
  errors,
})
