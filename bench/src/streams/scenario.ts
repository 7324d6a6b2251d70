import { openChangePublisher } from '@surehook/publisher'
import { publishFlatOut } from '../load/load.ts'
import { servicesOf, usageOf } from '../measure/processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import { type BenchProject, createProject } from '../platform/platform.ts'
import { perSecond, printRows } from '../report/report.ts'
import { openBareStream } from './bare-stream.ts'

const tenants = 10
const streamsEach = 100
/** Longer than two heartbeats, after which each stream has all that it ever needs. */
const settleMs = 35_000

/** Measures what 1,000 idle streams hold, and how fast one reads the past. */
export async function streams(bench: Bench, changes: number): Promise<void> {
  await idle(bench)
  await catchUp(bench, changes)
}

async function idle({ system, runDirs }: Bench): Promise<void> {
  const projects = await Promise.all(Array.from({ length: tenants }, () => createProject(system)))
  await using open = new AsyncDisposableStack()
  // The first stream opens the reader that all share.
  open.use(await openBareStream(projects[0] as BenchProject, '?from=now'))
  const before = servicesOf(usageOf(runDirs))
  for (const project of projects) {
    const opening = Array.from({ length: streamsEach - 1 }, () =>
      openBareStream(project, '?from=now'),
    )
    for (const stream of await Promise.all(opening)) open.use(stream)
  }
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const after = servicesOf(usageOf(runDirs))
  const grown = (name: string) => (after[name]?.rssMiB ?? 0) - (before[name]?.rssMiB ?? 0)
  const cpuS = (name: string) => (after[name]?.cpuS ?? 0) - (before[name]?.cpuS ?? 0)
  const names = Object.keys(after).filter((name) => /gateway|webhook-api|single/.test(name))
  const total = names.reduce((sum, name) => sum + grown(name), 0)
  printRows(`${tenants * (streamsEach - 1)} idle streams`, [
    ...names.map((name) => ({
      measure: `memory of ${name}`,
      value: `${grown(name).toFixed(0)} MiB more, ${cpuS(name).toFixed(1)} CPU-s with opening`,
    })),
    { measure: 'memory of all', value: `${total.toFixed(0)} MiB more`, target: '< 200 MiB' },
  ])
}

async function catchUp({ system }: Bench, count: number): Promise<void> {
  const project = await createProject(system)
  await using publisher = await openChangePublisher({
    brokers: system.kafkaBrokers.split(','),
    schemaRegistryUrl: system.schemaRegistryUrl,
    source: 'bench',
  })
  await publishFlatOut(publisher, project, { table: 'bench', count })
  const startedAt = performance.now()
  await using stream = await openBareStream(project, '?from=1h')
  await stream.received(count)
  const ms = performance.now() - startedAt
  printRows(`one stream reads ${count.toLocaleString('en')} changes of the past`, [
    { measure: 'events', value: perSecond(count, ms), target: '>= 5,000/s' },
  ])
}
