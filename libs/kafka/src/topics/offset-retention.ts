import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import { type Admin, ConfigResourceTypes, type Kafka } from '../client/surface.ts'
import { withAdmin } from '../client/with-admin.ts'

const broker = ConfigResourceTypes.BROKER

const setting = 'offsets.retention.minutes'
const minutesPerDay = 24 * 60
const leastMinutes = 90 * minutesPerDay
const recommendedMinutes = 10 * 365 * minutesPerDay
const timeoutMs = 5_000

/**
 * Warns when Kafka may delete the commits of a group that has had no member for a while. The group
 * would then start at the beginning of its topics and repeat all retained records. Never rejects.
 */
export async function checkOffsetRetention(
  kafka: Pick<Kafka, 'admin'>,
  { groupId, log }: { groupId: string; log: Pick<Logger, 'warn'> },
): Promise<void> {
  const advice = { groupId, setting, leastMinutes, recommendedMinutes }
  try {
    const minutes = await boundedBy(timeoutMs, readRetention(kafka), 'Kafka did not answer')
    if (minutes < leastMinutes) log.warn({ ...advice, minutes }, 'kafka.offset_retention.short')
  } catch (err) {
    log.warn({ ...advice, reason: reasonOf(err) }, 'kafka.offset_retention.unknown')
  }
}

/** Shortest retention of all brokers, because any of them may hold the group's commits. */
function readRetention(kafka: Pick<Kafka, 'admin'>): Promise<number> {
  return withAdmin(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster()
    const minutes = await Promise.all(brokers.map(({ nodeId }) => retentionOf(admin, nodeId)))
    return Math.min(...minutes)
  })
}

async function retentionOf(admin: Admin, nodeId: number): Promise<number> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: broker, name: String(nodeId), configNames: [setting] }],
  })
  const entry = resources[0]?.configEntries.find(({ configName }) => configName === setting)
  const minutes = Number(entry?.configValue ?? Number.NaN)
  if (!Number.isInteger(minutes)) throw new Error(`Broker ${nodeId} does not report ${setting}`)
  return minutes
}
