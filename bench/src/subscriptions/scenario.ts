import { randomUUID } from 'node:crypto'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openChangePublisher } from '@surehook/publisher'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { cpuBetween, type Usage, usageOf } from '../measure/processes.ts'
import { type Bench, drainMs } from '../platform/open-bench.ts'
import { type Replica, startReplica } from '../platform/start-replica.ts'
import { lossRows, perSecond, printRows, type Row } from '../report/report.ts'
import { type ManySubscriptions, writeSubscriptions } from './many-subscriptions.ts'
import { matchedBy } from './nth-subscription.ts'

export type SubscriptionsOptions = {
  subscriptions: number
  projects: number
  /** How many webhook-matchers, and how many webhook-dispatchers. */
  replicas: number
  changes: number
}

const services = ['webhook-matcher', 'webhook-dispatcher']
const readyWithinMs = 300_000
const batch = 500
/** The limit of a replica, in MiB. */
const mostMiB = 512

/**
 * Starts replicas among many subscriptions. Measures their start, their memory, and how fast they
 * deliver changes of few projects, then of all.
 */
export async function manySubscriptions(
  bench: Bench,
  { replicas, changes, ...size }: SubscriptionsOptions,
): Promise<void> {
  await using many = await writeSubscriptions(bench, { ...size, count: size.subscriptions })
  await using started = new AsyncDisposableStack()
  const others: Record<string, number> = {}
  const rows: Row[] = []
  for (const service of services) {
    for (let n = 2; n <= replicas; n++) {
      const startedAt = performance.now()
      const replica: Replica = started.use(await startReplica(bench, service, readyWithinMs))
      others[`${service}-${n}`] = replica.pid
      rows.push({
        measure: `${service}-${n} is ready after`,
        value: `${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
        target: '< 20 s',
      })
    }
  }
  const usage = () => usageOf(bench.runDirs, others)
  printRows(titleOf(size, many), [...rows, ...memoryRows(usage())])
  await delivered(bench, { ...size, changes: 200, busy: 1 }, usage)
  for (const busy of [Math.ceil(size.projects / 1_000), size.projects]) {
    const came = await delivered(bench, { ...size, changes, busy }, usage)
    printRows(`changes of ${busy} projects`, [...came, ...memoryRows(usage())])
  }
}

const titleOf = (
  { subscriptions, projects }: Pick<SubscriptionsOptions, 'subscriptions' | 'projects'>,
  { bytesEach }: ManySubscriptions,
) => `${subscriptions} subscriptions of ${bytesEach.toFixed(0)} bytes in ${projects} projects`

const memoryRows = (usage: Usage): Row[] =>
  Object.entries(usage)
    .filter(([name]) => services.some((service) => name.startsWith(service)))
    .map(([name, { pssMiB, rssMiB }]) => ({
      measure: `${name}, PSS, RSS`,
      value: `${pssMiB.toFixed(0)}, ${rssMiB.toFixed(0)} MiB`,
      target: `< ${mostMiB} MiB`,
    }))

/** Publishes changes of the first `busy` projects. Each matches one subscription. */
async function delivered(
  { system, receiver }: Bench,
  {
    changes,
    busy,
    subscriptions,
    projects,
  }: Omit<SubscriptionsOptions, 'replicas'> & { busy: number },
  usage: () => Usage,
): Promise<Row[]> {
  await using jobs = await openJobCount(system)
  const [jobsBefore, before] = [await jobs.count(), matchersOf(usage())]
  await using publisher = await openChangePublisher({
    brokers: system.kafkaBrokers.split(','),
    schemaRegistryUrl: system.schemaRegistryUrl,
    source: 'bench',
  })
  await receiver.reset()
  const startedAt = performance.timeOrigin + performance.now()
  const perProject = Math.floor(subscriptions / projects)
  for (let from = 0; from < changes; from += batch) {
    const some = Array.from({ length: Math.min(batch, changes - from) }, (_, index) => {
      const n = from + index
      const which = (n % busy) + projects * (Math.floor(n / busy) % perProject)
      const recordId = randomUUID()
      const { record, ...where } = matchedBy(which, { projects })
      const operation = 'INSERT' as const
      return {
        ...where,
        environment: 'master',
        recordId,
        operation,
        record: { id: recordId, ...record },
      }
    })
    await publisher.publish(some)
  }
  const areMatched = async () => (await jobs.count()) >= jobsBefore + changes
  await waitUntil(areMatched, { what: 'jobs of all changes', timeoutMs: drainMs })
  const matchedMs = performance.timeOrigin + performance.now() - startedAt
  const cpuS = cpuBetween(before, matchersOf(usage()))
  const report = await receiver.waitFor(changes, drainMs)
  const took = report.lastAt - startedAt
  return [
    { measure: 'changes matched', value: perSecond(changes, matchedMs) },
    {
      measure: 'CPU of all matchers per change',
      value: `${((cpuS * 1e6) / changes).toFixed(0)} µs`,
    },
    { measure: 'deliveries', value: perSecond(report.unique, took) },
    ...lossRows(report),
  ]
}

const matchersOf = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => name.startsWith('webhook-matcher')))

/** Counts the jobs that matchers have ever written. */
async function openJobCount({ kafkaBrokers }: Bench['system']) {
  const log = createLogger('bench', 'warn')
  const admin = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'bench', log }).admin()
  await admin.connect()
  return {
    async count() {
      const offsets = await admin.fetchTopicOffsets(deliveriesTopic)
      return offsets.reduce((sum, { high }) => sum + Number(high), 0)
    },
    [Symbol.asyncDispose]: () => admin.disconnect(),
  }
}
