import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { openChangePublisher } from '@surehook/publisher'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { findRunningSystem } from '@surehook/scripts/lib/running-system'
import { authScenarios } from './auth/scenarios.ts'
import { calm } from './calm/scenario.ts'
import { dataScenarios } from './data/scenarios.ts'
import { history } from './history/scenario.ts'
import { whereTimeGoes } from './hops/scenario.ts'
import { tlsPostsPerSecond } from './limit.ts'
import { insertAtRate, insertFlatOut, publishFlatOut } from './load.ts'
import { matchedChanges } from './matcher/matched-changes.ts'
import type { BenchProject } from './platform.ts'
import { createProject, createTable, subscribe } from './platform.ts'
import type { Usage } from './processes.ts'
import { rssMiBOf, servicesOf, usageOf } from './processes.ts'
import type { BenchReceiver } from './receiver.ts'
import { startReceiver } from './receiver.ts'
import { milliseconds, perSecond, printed, printRows, type Row, usageRows } from './report.ts'
import { stallScenarios } from './stalls/scenarios.ts'

/** `npm run bench`: measures the running system. Prints numbers and what bounds them; judges nothing. */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'limit,rate,rest,topic1,topic10' },
    seconds: { type: 'string', default: '10' },
    changes: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '1000000' },
    /** Another checkout whose system is measured. */
    at: { type: 'string', default: repoRoot },
    /** A file for what is printed. */
    json: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const changes = Number(options.changes)
const drainMs = 120_000
/** Connections, prepared statements and code that is not compiled yet are not what is measured. */
const warmUpSeconds = 10
const localDir = `${options.at}/.local`
const runDirs = [`${localDir}/system/run`, `${localDir}/stack/run`]
/** 0 until it was measured. */
let limitPerSecond = 0
const { serverKeyFile, serverCertFile, caFile } = demoFiles()

const system = await findRunningSystem(`${localDir}/endpoints.json`)
await using receiver = await startReceiver({ key: serverKeyFile, cert: serverCertFile })
const scenarios: Record<string, () => Promise<void>> = {
  limit,
  rate: () => latencyAtRate(100),
  rest: restFlatOut,
  topic1: () => fromTopic(1, 5_000),
  topic10: () => fromTopic(10, 8_000),
  hops,
  calm: async () => calm({ project: await tableWithSubscriptions(1), receiver, runDirs, seconds }),
  history: () => history(system),
  matcher: () => matchedChanges(system),
  ...authScenarios({ system, seconds, runDirs }),
  ...dataScenarios({ system, seconds, runDirs, rows: Number(options.rows) }),
  ...stallScenarios({
    ...{ system, runDirs, seconds, changes },
    tls: { key: serverKeyFile, cert: serverCertFile },
  }),
}
printRows('at rest', idleRows(usageOf(runDirs)))
for (const name of options.only.split(',')) {
  const run = scenarios[name]
  if (run === undefined)
    throw new Error(`no scenario ${name}; there are: ${Object.keys(scenarios).join(', ')}`)
  await run()
}
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(printed))

async function limit(): Promise<void> {
  limitPerSecond = await tlsPostsPerSecond(receiver, { caFile, seconds: Math.min(seconds, 5) })
  printRows('the machine without the system', [
    {
      measure: 'TLS POSTs in a loop',
      value: `${Math.round(limitPerSecond).toLocaleString('en')}/s`,
    },
  ])
}

async function latencyAtRate(rate: number): Promise<void> {
  const project = await tableWithSubscriptions(1)
  await insertAtRate(project, 'bench', { perSecond: rate, seconds: warmUpSeconds })
  await receiver.waitFor(rate * warmUpSeconds, drainMs)
  await receiver.reset()
  const before = usageOf(runDirs)
  const load = await insertAtRate(project, 'bench', { perSecond: rate, seconds })
  const report = await receiver.waitFor(load.answered, drainMs)
  printRows(`REST write to receipt at ${rate} changes/s`, [
    { measure: 'p50', value: milliseconds(report.latency.p50), target: '< 8 ms' },
    { measure: 'p99', value: milliseconds(report.latency.p99), target: '< 30 ms' },
    { measure: 'writes not answered 201', value: String(load.failed) },
    ...usageRows(before, usageOf(runDirs), { deliveries: report.received }),
  ])
}

async function hops(): Promise<void> {
  const project = await tableWithSubscriptions(1)
  await whereTimeGoes({ project, receiver, perSecond: 100, seconds, warmUpSeconds, drainMs })
}

async function restFlatOut(): Promise<void> {
  const project = await tableWithSubscriptions(1)
  await insertFlatOut(project, 'bench', { concurrency: 32, seconds: warmUpSeconds })
  await settled(receiver)
  await receiver.reset()
  const before = usageOf(runDirs)
  const startedAt = performance.timeOrigin + performance.now()
  const load = await insertFlatOut(project, 'bench', { concurrency: 64, seconds })
  const report = await receiver.waitFor(load.answered, drainMs)
  printRows('REST, 64 writers flat out, one delivery each', [
    { measure: 'changes answered', value: perSecond(load.answered, load.seconds * 1000) },
    {
      measure: 'changes delivered, first write to last receipt',
      value: perSecond(report.received, report.lastAt - startedAt),
      target: '2,000/s',
    },
    { measure: 'p50 at saturation', value: milliseconds(report.latency.p50) },
    { measure: 'p99 at saturation', value: milliseconds(report.latency.p99) },
    { measure: 'writes not answered 201', value: String(load.failed) },
    ...usageRows(before, usageOf(runDirs), { deliveries: report.received }),
  ])
}

async function fromTopic(fanOut: number, target: number): Promise<void> {
  const project = await tableWithSubscriptions(fanOut)
  await using publisher = await openChangePublisher({
    brokers: system.kafkaBrokers.split(','),
    schemaRegistryUrl: system.schemaRegistryUrl,
    source: 'bench',
  })
  await publishFlatOut(publisher, project, { table: 'bench', count: 200 })
  await receiver.waitFor(200 * fanOut, drainMs)
  await receiver.reset()
  const before = usageOf(runDirs)
  const count = Math.ceil(changes / Math.sqrt(fanOut))
  const startedAt = performance.timeOrigin + performance.now()
  await publishFlatOut(publisher, project, { table: 'bench', count })
  const report = await receiver.waitFor(count * fanOut, drainMs)
  const ms = report.lastAt - startedAt
  printRows(`from the changes topic, fan-out ${fanOut}, ${count} changes`, [
    {
      measure: 'deliveries, first publish to last receipt',
      value: perSecond(report.received, ms),
      target: perSecond(target, 1_000),
    },
    ...ofTheLimit((report.received * 1_000) / ms),
    ...usageRows(before, usageOf(runDirs), { deliveries: report.received, target: '< 0.35' }),
  ])
}

/** Where the limit was measured in the same run. */
function ofTheLimit(rate: number): Row[] {
  if (limitPerSecond === 0) return []
  const value = `${((100 * rate) / limitPerSecond).toFixed(0)} %`
  return [{ measure: 'of the limit', value, target: '≥ 40 %' }]
}

async function tableWithSubscriptions(count: number): Promise<BenchProject> {
  const project = await createProject(system)
  await createTable(project, 'bench')
  for (let n = 0; n < count; n++) await subscribe(project, 'bench', receiver.url(`/hook-${n}`))
  await receiver.reset()
  return project
}

/** Waits until nothing has come for a second. */
async function settled(of: BenchReceiver): Promise<void> {
  for (let last = -1; ; ) {
    const { received } = await of.report()
    if (received === last) return
    last = received
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

function idleRows(usage: Usage) {
  const services = servicesOf(usage)
  return [
    ...Object.entries(services).map(([name, { rssMiB }]) => ({
      measure: name,
      value: `${rssMiB.toFixed(0)} MiB`,
    })),
    { measure: 'all services', value: `${rssMiBOf(services).toFixed(0)} MiB`, target: '< 700 MiB' },
  ]
}

function demoFiles() {
  const dir = `${localDir}/demo-ca`
  return {
    caFile: `${dir}/ca.pem`,
    serverCertFile: `${dir}/server.pem`,
    serverKeyFile: `${dir}/server.key`,
  }
}
