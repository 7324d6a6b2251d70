import type { ChangeEvent, DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { deliveryId, endpointId } from '@surehook/contracts/ids'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { type Cluster, openCluster } from '@surehook/kafka/client/cluster'
import type { Admin, Kafka } from '@surehook/kafka/client/surface'
import { OffsetTracker } from '@surehook/kafka/offsets/offset-tracker'
import type { World } from './under-test.ts'

/** Publishes what a matcher and a dispatcher would, for the deliveries of one subscription. */
export class PublishedDeliveries {
  readonly #world: Pick<World, 'kafka' | 'codec' | 'producer'>
  readonly #subscriptionId: string

  constructor(world: Pick<World, 'kafka' | 'codec' | 'producer'>, subscriptionId: string) {
    this.#world = world
    this.#subscriptionId = subscriptionId
  }

  async job(
    event: ChangeEvent,
    change: Partial<DeliveryJob> = {},
    { topic = deliveriesTopic, key = event.id } = {},
  ) {
    const { codec, producer } = this.#world
    const job = aJob({ ...this.#of(event), webhookId: this.#id(event), ...change })
    await producer.send([{ topic, key, value: codec.job.encode(job) }])
  }

  async transition(event: ChangeEvent, change: Partial<DeliveryAttempt>) {
    const { codec, producer } = this.#world
    const transition = anAttempt({ ...this.#of(event), at: Date.now(), ...change })
    const value = codec.attempt.encode(transition)
    const { projectId, environment, url } = transition
    const key = endpointId({ projectId, environment, url })
    await producer.send([{ topic: attemptsTopic, key, value }])
  }

  #id = (event: ChangeEvent) => deliveryId(event.id, this.#subscriptionId)

  #of(event: ChangeEvent) {
    const { id: eventId, projectId, environment, timestamp } = event
    const place = { eventId, projectId, environment, subscriptionId: this.#subscriptionId }
    return { ...place, deliveryId: this.#id(event), createdAt: Date.parse(timestamp) }
  }
}

type Group = 'webhook-matcher' | 'webhook-dispatcher'

/** Commits as if the group had finished everything on the topic. */
export async function finishAll(
  { kafka }: Pick<World, 'kafka'>,
  groupId: Group,
  topic: string,
): Promise<void> {
  const partitions = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
  const commits = partitions.map(({ partition, high }) => ({
    partition,
    offset: high,
    metadata: '',
  }))
  await commit(kafka, { groupId, topic, commits })
}

/** Commits as if the group had finished only the newest record of each partition. */
export async function finishNewest(
  { kafka }: Pick<World, 'kafka'>,
  groupId: Group,
  topic: string,
): Promise<void> {
  const partitions = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
  const commits = partitions.map(({ partition, low, high }) => {
    const tracker = new OffsetTracker(Number(low), null)
    for (let offset = Number(low); offset < Number(high); offset++) tracker.take(offset)
    tracker.finish(Number(high) - 1)
    const { offset, metadata } = tracker.position()
    return { partition, offset: String(offset), metadata }
  })
  await commit(kafka, { groupId, topic, commits })
}

type Commit = { partition: number; offset: string; metadata: string }

type Coordinator = {
  offsetCommit(of: {
    groupId: string
    groupGenerationId: number
    memberId: string
    topics: { topic: string; partitions: Commit[] }[]
  }): Promise<unknown>
}

/**
 * Commits from outside the group, which Kafka allows while the group has no members. It takes
 * effect at once and has metadata.
 */
async function commit(
  kafka: Kafka,
  { groupId, topic, commits }: { groupId: Group; topic: string; commits: Commit[] },
): Promise<void> {
  const cluster = openCluster(kafka) as Cluster & {
    findGroupCoordinator(of: { groupId: string }): Promise<Coordinator>
  }
  await cluster.connect()
  try {
    const coordinator = await cluster.findGroupCoordinator({ groupId })
    const topics = [{ topic, partitions: commits }]
    await coordinator.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', topics })
  } finally {
    await cluster.disconnect()
  }
}

/** Deletes every record of the topic. */
export async function deleteAll({ kafka }: Pick<World, 'kafka'>, topic: string): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic)
    const partitions = ends
      .filter(({ low, high }) => low !== high)
      .map(({ partition, high }) => ({ partition, offset: high }))
    await admin.deleteTopicRecords({ topic, partitions })
  })
}

async function withAdmin<T>(kafka: Kafka, ask: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await ask(admin)
  } finally {
    await admin.disconnect()
  }
}
