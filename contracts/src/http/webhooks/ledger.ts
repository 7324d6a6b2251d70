import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../admin/admin.ts'
import { Instant } from '../instant.ts'

/** How much an answer shows; the counts are of all. */
export const ledgerLimits = { subscriptions: 10_000, events: 1_000 } as const

const number = z.int().min(0)

/** Where deliveries are now, by what the topics say. Together they are all, but for the lost ones. */
const places = {
  delivered: number,
  dead: number.describe('On the dead letters'),
  pending: number.describe('Not attempted yet'),
  retrying: number.describe('Waiting for the next attempt'),
  paused: number.describe('Parked: behind a circuit, for an inactive webhook, or for room'),
  cancelled: number.describe('Their webhook was deleted'),
}

export const holeReasons = ['never_matched', 'lost', 'unexpected'] as const
export type HoleReason = (typeof holeReasons)[number]

const counts = {
  matched: number.describe('Deliveries that the changes of the span make'),
  ...places,
  neverMatched: number.describe('Holes: the matcher has passed the change and no job is there'),
  lost: number.describe('Holes: there was a job, and no place holds it any more'),
  unexpected: number.describe('Holes, not among the matched: jobs that no change accounts for'),
  awaiting: number.describe('Not among the matched: the matcher has not come to the change yet'),
  unverified: number.describe(
    'Not among the matched: jobs of which the log no longer tells what the webhook was then',
  ),
  endedTwice: number.describe('Ended more than once: their receiver may have them twice'),
}

const asked = z
  .object({ made: number, ...places, lost: number, endedTwice: number })
  .describe('Redeliveries, recoveries, replays and test events that were asked for in the span')

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
  asked: z.boolean().describe('Of a redelivery, a recovery, a replay or a test event'),
}

export const LedgerHole = z
  .object({ ...event, reason: z.enum(holeReasons) })
  .meta({ id: 'LedgerHole' })
export type LedgerHole = z.infer<typeof LedgerHole>

export const Ledger = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    takenAt: z.iso.datetime().describe('Where everything is, is told as of then'),
    seconds: z.number().describe('How long the reading took'),
    complete: z.boolean().describe('false: the reading did not come to its end; see notes'),
    closes: z.boolean().describe('complete, and without a hole'),
    notes: z.array(z.string()),
    changes: number.describe('Changes of the span, resent ones each time'),
    total: LedgerCounts,
    webhooks: z.array(LedgerLine).describe(`At most ${ledgerLimits.subscriptions}, holes first`),
    webhooksLeftOut: number,
    holes: z.array(LedgerHole).describe(`At most ${ledgerLimits.events}`),
    holesLeftOut: number,
    endedTwice: z
      .array(z.object(event))
      .describe(
        `No holes: each was delivered, but perhaps not once. At most ${ledgerLimits.events}`,
      ),
  })
  .meta({ id: 'Ledger' })
export type Ledger = z.infer<typeof Ledger>

export const getLedger = defineOperation({
  tag: 'deliveries',
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
    from: Instant.describe('Not before what the topics still hold'),
    to: Instant.optional().describe('now when absent'),
    project: ProjectId.optional(),
    environment: EnvironmentName.optional(),
  }),
  reply: { status: 200, schema: Ledger },
  errors: ['VALIDATION_ERROR', 'ADMIN_TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
})
