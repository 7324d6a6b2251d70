import { capturingServices } from '@surehook/change-capture/slot/capturing-services'
import type { InstallationHealth } from '@surehook/contracts/http/webhooks/installation'
import { topicTable } from '@surehook/contracts/topics'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { checkReach } from '@surehook/diagnosis/kafka/check-reach'
import { judgeGroup, lagWarning } from '@surehook/diagnosis/kafka/judge-groups'
import { readGroups } from '@surehook/diagnosis/kafka/read-groups'
import { judgeSettings } from '@surehook/diagnosis/postgres/judge-settings'
import { judgeSlot } from '@surehook/diagnosis/postgres/judge-slots'
import { keptLimitBytes, readSettings } from '@surehook/diagnosis/postgres/read-settings'
import { readSlots } from '@surehook/diagnosis/postgres/read-slots'
import { judgeRedis } from '@surehook/diagnosis/redis/judge-redis'
import { infoOf } from '@surehook/diagnosis/redis/redis-info'
import { whenAway } from '@surehook/diagnosis/when-away'
import type { Kafka } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import type { BackgroundRedis } from '@surehook/service-kit/redis/background-redis'
import type { Pool } from 'pg'
import type { Pools } from '../tenants/open-database.ts'

export type Dependencies = Pools & {
  kafka: Kafka
  redis: BackgroundRedis
  /** `delayNames`: the delays that have a retry topic. */
  config: { delayNames: readonly string[] }
}

/** What was read of a dependency, and what it means. */
type Look<T> = { value: T; findings: readonly Finding[] }

export const answerWithinMs = 4_000

/** A dependency that does not answer becomes a finding. */
async function look<T>(
  area: 'postgresql' | 'kafka' | 'redis',
  work: Promise<Look<T>>,
): Promise<Look<T | null>> {
  try {
    return await boundedBy(answerWithinMs, work, `no answer in ${answerWithinMs / 1_000} s`)
  } catch (err) {
    return { value: null, findings: [findingsOf(area).wrong(reasonOf(err), whenAway[area])] }
  }
}

/** Looks at the dependencies with the rights of this service. */
export async function lookAtDependencies(deps: Dependencies) {
  const { pool, historyPool, kafka, redis, config } = deps
  const [ofPostgres, ofHistory, ofKafka, ofRedis] = await Promise.all([
    look('postgresql', lookAtPostgres(pool)),
    look('postgresql', lookAtHistory(historyPool)),
    look('kafka', lookAtKafka(kafka, config.delayNames)),
    look('redis', lookAtRedis(redis)),
  ])
  return {
    findings: [
      ...ofPostgres.findings,
      ...ofHistory.findings,
      ...ofKafka.findings,
      ...ofRedis.findings,
    ],
    slots: ofPostgres.value?.slots ?? null,
    slotLimitBytes: ofPostgres.value?.slotLimitBytes ?? null,
    groups: ofKafka.value,
  }
}

async function lookAtPostgres(
  pool: Pool,
): Promise<Look<{ slots: InstallationHealth['slots']; slotLimitBytes: number | null }>> {
  const [settings, slots] = await Promise.all([readSettings(pool), readSlots(pool)])
  return {
    value: { slots, slotLimitBytes: keptLimitBytes(settings) },
    findings: [
      ...judgeSettings(settings, { slots: capturingServices.length }),
      ...capturingServices.flatMap((service) => judgeSlot(service, slots)),
    ],
  }
}

/** Only a database that is away has a finding. */
async function lookAtHistory(historyPool: Pool): Promise<Look<null>> {
  try {
    await historyPool.query('select from delivery limit 1')
  } catch (err) {
    throw new Error(`the history: ${reasonOf(err)}`, { cause: err })
  }
  return { value: null, findings: [] }
}

function lookAtKafka(
  kafka: Kafka,
  delayNames: readonly string[],
): Promise<Look<InstallationHealth['groups']>> {
  const names = topicTable([...delayNames]).map(({ name }) => name)
  return withAdmin(kafka, async (admin) => {
    const reach = await checkReach(admin, names)
    const groups = await readGroups(admin, delayNames)
    const findings = groups.flatMap((state) => judgeGroup(state, lagWarning))
    return {
      value: groups.map(({ partitions, unused, ...of }) => ({ ...of, lost: [...of.lost] })),
      findings: [...reach, ...findings],
    }
  })
}

const { skipped } = findingsOf('redis')

async function lookAtRedis({ isConfigured, client }: BackgroundRedis): Promise<Look<null>> {
  const value = null
  if (!isConfigured) return { value, findings: [skipped('REDIS_URL is not set for webhook-api')] }
  if (client === null) throw new Error('it was not reached yet')
  try {
    return { value, findings: judgeRedis(infoOf(await client.info())) }
  } catch (err) {
    if (!reasonOf(err).startsWith('NOPERM')) throw err
    return {
      value,
      findings: [
        skipped('it answers, but is not checked: the user of webhook-api lacks the command INFO'),
      ],
    }
  }
}
