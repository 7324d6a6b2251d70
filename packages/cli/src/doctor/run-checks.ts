import { type Area, type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { whenAway } from '@surehook/diagnosis/when-away'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import { checkCertificates } from './checks/check-certificates.ts'
import { checkClocks } from './checks/check-clocks.ts'
import { checkConfiguration } from './checks/check-configuration.ts'
import { checkDisk } from './checks/check-disk.ts'
import { checkGateway } from './checks/check-gateway.ts'
import { checkPostgres } from './checks/check-postgres.ts'
import { checkRedis } from './checks/check-redis.ts'
import { checkSchemas } from './checks/check-schemas.ts'
import { checkSlots } from './checks/check-slots.ts'
import { checkSmtp } from './checks/check-smtp.ts'
import { checkConsumers } from './checks/kafka/check-consumers.ts'
import { checkKafka } from './checks/kafka/check-kafka.ts'
import { checkTopics } from './checks/kafka/check-topics.ts'
import type { Target } from './target.ts'

export type Limits = { lag: number; certificateDays: number }

type Check = {
  area: Area
  run: (target: Target) => Promise<Finding[]>
  /** Variable that the check requires, and the advice if it is missing. */
  needs?: { variable: string; advice: string }
}

const longestCheckMs = 30_000

/** Runs all checks concurrently. A check that throws becomes a finding. */
export async function runChecks(target: Target, limits: Limits): Promise<Finding[]> {
  const findings = await Promise.all(checksWith(limits).map((check) => findingsFrom(check, target)))
  return findings.flat()
}

function checksWith(limits: Limits): readonly Check[] {
  const database = { variable: 'DATABASE_URL', advice: whenAway.postgresql }
  const kafka = { variable: 'KAFKA_BROKERS', advice: whenAway.kafka }
  const registry = { variable: 'SCHEMA_REGISTRY_URL', advice: whenAway.registry }
  const redis = { variable: 'REDIS_URL', advice: whenAway.redis }
  return [
    { area: 'configuration', run: checkConfiguration },
    { area: 'gateway', run: checkGateway },
    { area: 'postgresql', run: checkPostgres, needs: database },
    { area: 'slots', run: checkSlots, needs: database },
    { area: 'kafka', run: checkKafka, needs: kafka },
    { area: 'topics', run: checkTopics, needs: kafka },
    { area: 'schemas', run: checkSchemas, needs: registry },
    { area: 'consumers', run: (target) => checkConsumers(target, limits.lag), needs: kafka },
    { area: 'redis', run: checkRedis, needs: redis },
    { area: 'smtp', run: checkSmtp },
    { area: 'clocks', run: checkClocks },
    { area: 'certificates', run: (target) => checkCertificates(target, limits.certificateDays) },
    { area: 'disk', run: checkDisk },
  ]
}

async function findingsFrom({ area, run, needs }: Check, target: Target): Promise<Finding[]> {
  const { wrong, skipped } = findingsOf(area)
  if (needs && !target.env[needs.variable]) return [skipped(`${needs.variable} is not set`)]
  try {
    return await boundedBy(longestCheckMs, run(target), `no answer in ${longestCheckMs / 1_000} s`)
  } catch (err) {
    return [wrong(reasonOf(err), needs?.advice ?? 'See the reason.')]
  }
}
