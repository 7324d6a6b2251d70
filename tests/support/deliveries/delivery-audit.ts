import type { DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  pausedTopic,
} from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import type { Endpoints } from '@surehook/scripts/lib/endpoints'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { type Admin, askKafka } from '../ask-kafka.ts'
import { untilAnswered } from '../until-answered.ts'

/** The number of deliveries of one subscription, by status. */
export type Statuses = Partial<Record<DeliveryStatus, number>>

/** A dead letter in the history. */
export type DeadLetter = { id: string; subscriptionId: string; table: string }

/** The product's own records of deliveries. */
export type DeliveryAudit = AsyncDisposable & {
  statuses(subscriptionId: string): Promise<Statuses>
  /** Returns the dead letters of an environment. */
  deadLetters(of: { projectId: string; environment: string }): Promise<DeadLetter[]>
  /** Returns the number of unfinished messages, by consumer group. */
  lag(): Promise<Record<string, number>>
  /** Returns the jobs of a subscription on the deliveries topic, each once. */
  jobs(subscriptionId: string): Promise<readonly DeliveryJob[]>
  /** Returns the number of messages on topics of refused messages. */
  refused(): Promise<number>
}

const groups: Readonly<Record<string, (topic: string) => boolean>> = {
  'webhook-matcher': (topic) => topic === changesTopic,
  'webhook-dispatcher': (topic) =>
    topic === deliveriesTopic || topic === pausedTopic || topic.includes('.retry.'),
  'webhook-api': (topic) => topic === deliveriesTopic || topic === attemptsTopic,
}

/**
 * Opens connections that survive restarts of every part of the stack.
 * @param wants the jobs to keep in memory
 */
export async function openDeliveryAudit(
  endpoints: Endpoints,
  wants: (job: DeliveryJob) => boolean = () => true,
): Promise<DeliveryAudit> {
  await using opening = new AsyncDisposableStack()
  const log = createLogger('delivery-audit', 'silent')
  const pool = opening.adopt(
    openPool({
      connectionString: siblingUrl(endpoints.databaseUrl, 'history'),
      applicationName: 'delivery-audit',
      log,
    }),
    (open) => open.end(),
  )
  const brokers = endpoints.kafkaBrokers.split(',')
  const kafka = createKafka({ brokers, clientId: 'delivery-audit', log })
  const codec = await openEventCodec({ registryUrl: endpoints.schemaRegistryUrl })
  const jobs = new Map<string, Map<string, DeliveryJob>>()
  const view = opening.use(
    await openTopicView<DeliveryJob>({
      kafka,
      codec: { ofTopic: () => codec.job },
      topics: [deliveriesTopic],
      clientId: 'delivery-audit',
      apply(_topic, _key, job) {
        if (job === null || !wants(job)) return
        const known = jobs.get(job.subscriptionId) ?? new Map<string, DeliveryJob>()
        jobs.set(job.subscriptionId, known)
        if (!known.has(job.deliveryId)) known.set(job.deliveryId, job)
      },
      log,
    }),
  )
  const resources = opening.move()
  return {
    async statuses(subscriptionId) {
      const { rows } = await untilAnswered(() =>
        pool.query<{ status: DeliveryStatus; count: number }>(
          `select status, count(*)::int as count from webhook_api.delivery
            where subscription_id = $1 group by status`,
          [subscriptionId],
        ),
      )
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
    async deadLetters({ projectId, environment }) {
      const { rows } = await untilAnswered(() =>
        pool.query<DeadLetter>(
          `select id, subscription_id as "subscriptionId", watched_table as "table"
             from webhook_api.delivery
            where project_id = $1 and environment = $2 and status = 'dead_letter'`,
          [projectId, environment],
        ),
      )
      return rows
    },
    lag: () => askKafka(kafka, readLag),
    async jobs(subscriptionId) {
      await untilAnswered(() => view.barrier())
      return [...(jobs.get(subscriptionId)?.values() ?? [])]
    },
    refused: () =>
      askKafka(kafka, async (admin) => {
        const topics = (await admin.listTopics()).filter((topic) => topic.endsWith('.invalid'))
        const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)))
        return ends.flat().reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0)
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function readLag(admin: Admin): Promise<Record<string, number>> {
  const topics = await admin.listTopics()
  const lags = Object.entries(groups).map(async ([groupId, follows]) => {
    const mine = topics.filter(follows)
    const committed = await admin.fetchOffsets({ groupId, topics: mine })
    const perTopic = mine.map(async (topic) => {
      const done = committed.find((row) => row.topic === topic)?.partitions ?? []
      const ends = await admin.fetchTopicOffsets(topic)
      return ends.reduce((sum, { partition, low, high }) => {
        const offset = Number(done.find((row) => row.partition === partition)?.offset ?? -1)
        return sum + Number(high) - Math.max(offset, Number(low))
      }, 0)
    })
    return [groupId, (await Promise.all(perTopic)).reduce((sum, lag) => sum + lag, 0)] as const
  })
  return Object.fromEntries(await Promise.all(lags))
}
