import { attemptsTopic, changesTopic } from '@surehook/contracts/topics'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import type { Admin } from '@surehook/kafka/client/surface'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Target } from '../target.ts'
import { withKafka } from '../with-kafka.ts'
import { withPostgres } from '../with-postgres.ts'

const { ok, wrong, skipped } = findingsOf('clocks')

/** Several clocks judge the expiry of tokens, codes and lockouts. */
const largestDifferenceMs = 2_000
/** The HTTP `Date` header has whole seconds. */
const headerSlackMs = 1_000

export async function checkClocks(target: Target): Promise<Finding[]> {
  const looks = [ofPostgres, ofGateway, ofKafka].map((look) =>
    // Another check reports whether the server is reachable.
    look(target).catch((err: unknown) => [skipped(`not compared: ${reasonOf(err)}`)]),
  )
  return (await Promise.all(looks)).flat()
}

/** Another clock, read between two reads of the local one. */
export type Comparison = {
  of: string
  before: number
  theirs: number
  after: number
  slackMs?: number
}

export function judgeClock({ of, before, theirs, after, slackMs = 0 }: Comparison): Finding {
  const ahead = Math.max(0, theirs - after - slackMs)
  const behind = Math.max(0, before - theirs - slackMs)
  const differenceMs = Math.max(ahead, behind)
  if (differenceMs <= largestDifferenceMs) return ok(`that of ${of} goes with this machine's`)
  const direction = ahead > 0 ? 'ahead' : 'behind'
  return wrong(
    `that of ${of} is ${(differenceMs / 1_000).toFixed(1)} s ${direction}`,
    'Let every machine follow NTP: expiries, lockouts and key rotation are judged by several clocks.',
  )
}

async function ofPostgres(target: Target): Promise<Finding[]> {
  return withPostgres(target, async (client) => {
    const before = target.io.now()
    const { rows } = await client.query<{ ms: number }>(
      `select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
    )
    return [
      judgeClock({
        of: 'PostgreSQL',
        before,
        theirs: rows[0]?.ms ?? Number.NaN,
        after: target.io.now(),
      }),
    ]
  })
}

async function ofGateway({ baseUrl, io }: Target): Promise<Finding[]> {
  if (baseUrl === null) return []
  const before = io.now()
  const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(5_000) })
  await response.body?.cancel()
  const theirs = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return [skipped('the gateway tells no time')]
  return [
    judgeClock({ of: 'the gateway', before, theirs, after: io.now(), slackMs: headerSlackMs }),
  ]
}

/**
 * A broker reveals its clock only through record timestamps. A record with a future timestamp shows
 * a fast clock.
 */
async function ofKafka(target: Target): Promise<Finding[]> {
  return withKafka(target, async (admin) => {
    const from = target.io.now() + largestDifferenceMs
    const ahead = await Promise.all(
      [changesTopic, attemptsTopic].map((topic) => hasRecordsFrom(admin, topic, from)),
    )
    if (!ahead.includes(true)) return [ok('Kafka has stamped no record from the future')]
    return [
      wrong(
        `Kafka stamps records more than ${largestDifferenceMs / 1_000} s ahead`,
        'Let the brokers follow NTP: the ledger and replays go by their time.',
      ),
    ]
  })
}

async function hasRecordsFrom(admin: Admin, topic: string, from: number): Promise<boolean> {
  // Reads the ends after the offsets of that time: a record written in between is not from the
  // future.
  const found = await admin.fetchTopicOffsetsByTimestamp(topic, from)
  const ends = await admin.fetchTopicOffsets(topic)
  return found.some(({ partition, offset }) => {
    const end = ends.find((one) => one.partition === partition)
    return Number(offset) >= 0 && Number(offset) < Number(end?.high ?? 0)
  })
}
