import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { WebhookName, WebhookNames } from './names.ts'
import { HistoryRebuild } from './rebuild.ts'

/** Most entries of one answer. */
export const installationLimits = {
  /** Subscriptions whose last attempt failed, the latest first: only their circuits can be open. */
  failing: 1_000,
  circuits: 100,
  jobs: 50,
  countedDeadLetters: 1_000,
} as const

const number = z.int().min(0)
const levels = ['ok', 'warn', 'wrong', 'skipped'] as const

const InstallationFinding = z
  .object({
    area: z.string().describe('What was checked, such as `slots`'),
    level: z.enum(levels).describe('`wrong`: mend it. `warn`: look at it. `skipped`: not checked'),
    says: z.string().describe('The state, in one line'),
    advice: z.string().optional().describe('What to do. Set for `wrong` and `warn`'),
  })
  .meta({ id: 'InstallationFinding' })

const ConsumerGroup = z
  .object({
    group: z.string().describe('The name of the group, which is that of its service'),
    state: z.string().describe('Its state in Kafka, such as `Stable`'),
    members: number.describe('Replicas that read now'),
    lag: number.describe('Unread messages. Deliveries that wait on purpose do not count'),
    lost: z.array(z.string()).describe('Topics whose records were deleted before it read them'),
  })
  .meta({ id: 'ConsumerGroup' })

const ReplicationSlot = z
  .object({
    slot: z.string(),
    active: z.boolean().describe('A replica of its service reads it'),
    status: z.string().nullable().describe('`wal_status` of PostgreSQL, such as `reserved`'),
    lagBytes: number.nullable().describe('WAL that was not sent yet'),
    retainedBytes: number.nullable().describe('WAL that the server keeps for the slot'),
  })
  .meta({ id: 'ReplicationSlot' })

const tenant = {
  projectId: z.string(),
  environment: z.string(),
}

const OpenCircuit = z
  .object({
    ...tenant,
    endpointId: z.string(),
    url: z.string().describe('The URL without its query, which may hold a key'),
    openUntil: z.iso.datetime().describe('When the circuit closes by itself'),
    webhooks: z.array(z.string()).describe('The ids of the subscriptions that deliver to it'),
    webhookNames: WebhookNames,
  })
  .meta({ id: 'OpenCircuit' })

const attemptCounts = z.object({ attempts: number, delivered: number, deadLetter: number })

export const InstallationHealth = z
  .object({
    at: z.iso.datetime().describe('When this was read. An answer may be 5 seconds old'),
    findings: z
      .array(InstallationFinding)
      .describe('Those of `surehook doctor` that webhook-api can check with its own rights'),
    groups: z
      .array(ConsumerGroup)
      .nullable()
      .describe('The consumer groups. null: Kafka did not answer'),
    slots: z
      .array(ReplicationSlot)
      .nullable()
      .describe('The replication slots of the database. null: PostgreSQL did not answer'),
    slotLimitBytes: number
      .nullable()
      .describe('WAL after which PostgreSQL gives a slot up. null: never, or unknown'),
    circuits: z
      .object({
        open: z.array(OpenCircuit).describe(`At most ${installationLimits.circuits}`),
        leftOut: number.describe('Open circuits that are not listed'),
        isComplete: z
          .boolean()
          .describe(
            `False if more than ${installationLimits.failing} subscriptions fail. Then only the ` +
              'circuits of those that failed last were read',
          ),
      })
      .nullable()
      .describe('Open circuits of all tenants. null: Redis or PostgreSQL did not answer'),
    deliveries: z
      .object({ hour: attemptCounts, day: attemptCounts })
      .nullable()
      .describe('Attempts of the last hour and the last 24 hours, and how they ended'),
  })
  .meta({ id: 'InstallationHealth' })
export type InstallationHealth = z.infer<typeof InstallationHealth>

const job = {
  ...tenant,
  id: z.string(),
  webhookId: z.string(),
  webhookName: WebhookName,
  url: z.string().nullable().describe('Where it delivers to. null: the subscription was deleted'),
}

const RunningReplay = z
  .object({
    ...job,
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    scanned: number.describe('Changes of the table that were read'),
    deliveries: number.describe('Deliveries that were made'),
    left: number.describe(
      'Records of the log still to read. Tenants share the log, so records of others count',
    ),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'RunningReplay' })
export type RunningReplay = z.infer<typeof RunningReplay>

const RunningRecovery = z
  .object({
    ...job,
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    left: number
      .nullable()
      .describe(
        'Dead letters that are still to be sent. At most ' +
          `${installationLimits.countedDeadLetters} are counted. null: they were not counted in ` +
          'time',
      ),
    requestedAt: z.iso.datetime(),
  })
  .meta({ id: 'RunningRecovery' })
export type RunningRecovery = z.infer<typeof RunningRecovery>

const most = `At most ${installationLimits.jobs}, the oldest first`

export const RunningJobs = z
  .object({
    at: z.iso.datetime().describe('When this was read. An answer may be 2 seconds old'),
    rebuild: HistoryRebuild.nullable().describe('The newest rebuild of the history'),
    replays: z.array(RunningReplay).describe(most),
    replaysLeftOut: number,
    recoveries: z.array(RunningRecovery).describe(`${most}. They wait while a rebuild runs`),
    recoveriesLeftOut: number,
  })
  .meta({ id: 'RunningJobs' })
export type RunningJobs = z.infer<typeof RunningJobs>

const common = {
  tag: 'installation',
  security: 'admin',
  method: 'get',
  errors: ['ADMIN_TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
} as const

export const getInstallationHealth = defineOperation({
  ...common,
  id: 'getInstallationHealth',
  path: '/api/rest/_webhooks/_health',
  summary: 'Get the health of the installation',
  description:
    'Returns what webhook-api sees of PostgreSQL, Kafka, Redis and the other services, for all ' +
    'tenants. A part that does not answer is null, and a finding says why.',
  reply: { status: 200, schema: InstallationHealth },
})

export const listRunningJobs = defineOperation({
  ...common,
  id: 'listRunningJobs',
  path: '/api/rest/_webhooks/_jobs',
  summary: 'List running jobs',
  description:
    'Returns the replays and recoveries of all tenants that run now, and the newest rebuild of ' +
    'the delivery history.',
  reply: { status: 200, schema: RunningJobs },
})
