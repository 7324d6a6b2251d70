import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { Instant } from '../instant.ts'

/** Most entries of one response. The counts cover all entries. */
export const ledgerLimits = { subscriptions: 10_000, events: 1_000 } as const

const number = z.int().min(0)

/**
 * Deliveries by their state on the topics. The counts add up to all deliveries that are not lost.
 */
const places = {
  delivered: number,
  dead: number.describe('Dead letters'),
  pending: number.describe('Not attempted yet'),
  retrying: number.describe('Waiting for the next attempt'),
  paused: number.describe('Paused: open circuit, inactive subscription or full endpoint'),
  cancelled: number.describe('Their subscription was deleted'),
}

export const holeReasons = ['never_matched', 'lost', 'unexpected'] as const
export type HoleReason = (typeof holeReasons)[number]

const counts = {
  matched: number.describe('Deliveries that the changes of the span must make'),
  ...places,
  neverMatched: number.describe('Holes: the matcher has passed the change, and no job exists'),
  lost: number.describe('Holes: a job existed, and no topic holds it any more'),
  unexpected: number.describe('Holes beside `matched`: jobs without a change'),
  awaiting: number.describe('Beside `matched`: the matcher has not read the change yet'),
  unverified: number.describe(
    'Beside `matched`: jobs whose subscription at the time is no longer known',
  ),
  endedTwice: number.describe('Ended more than once. The receiver may have them twice'),
}

const asked = z
  .object({ made: number, ...places, lost: number, endedTwice: number })
  .describe('Redeliveries, recoveries, replays and test events requested in the span')

export const LedgerCounts = z.object({ ...counts, asked }).meta({ id: 'LedgerCounts' })
export type LedgerCounts = z.infer<typeof LedgerCounts>

const of = {
  projectId: z.string(),
  environment: z.string(),
  webhookId: z.string(),
}

export const LedgerLine = LedgerCounts.extend(of).meta({ id: 'LedgerLine' })
export type LedgerLine = z.infer<typeof LedgerLine>

const event = {
  ...of,
  eventId: z.string(),
  asked: z.boolean().describe('True for a redelivery, a recovery, a replay or a test event'),
}

export const LedgerHole = z
  .object({ ...event, reason: z.enum(holeReasons) })
  .meta({ id: 'LedgerHole' })
export type LedgerHole = z.infer<typeof LedgerHole>

export const Ledger = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    takenAt: z.iso.datetime().describe('When the reading began'),
    seconds: z.number().describe('Duration of the reading'),
    complete: z.boolean().describe('The reading reached its end. `notes` say why not'),
    closes: z.boolean().describe('Complete and without a hole'),
    notes: z.array(z.string()),
    changes: number.describe('Changes of the span. A repeated change counts each time'),
    total: LedgerCounts,
    webhooks: z.array(LedgerLine).describe(`At most ${ledgerLimits.subscriptions}, holes first`),
    webhooksLeftOut: number,
    holes: z.array(LedgerHole).describe(`At most ${ledgerLimits.events}`),
    holesLeftOut: number,
    endedTwice: z
      .array(z.object(event))
      .describe(`Deliveries that ended more than once. At most ${ledgerLimits.events}`),
  })
  .meta({ id: 'Ledger' })
export type Ledger = z.infer<typeof Ledger>

export const getLedger = defineOperation({
  tag: 'installation',
  security: 'admin',
  id: 'getLedger',
  method: 'get',
  path: '/api/rest/_webhooks/_ledger',
  summary: 'Take a ledger',
  description:
    'Compares the deliveries that the changes of a span must make with the deliveries on the ' +
    'topics. The span runs from `from` up to, but not including, `to`, by the time a change ' +
    'reached the log. The server sends white space while it reads, to keep the connection ' +
    'open. Close the connection to stop the reading.',
  query: z.strictObject({
    from: Instant.describe('The start of the span. The topics must still hold it'),
    to: Instant.optional().describe('The end of the span. Default: now'),
    project: ProjectId.optional().describe('Only this project'),
    environment: EnvironmentName.optional().describe('Only this environment'),
  }),
  reply: { status: 200, schema: Ledger },
  errors: ['VALIDATION_ERROR', 'ADMIN_TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
})
