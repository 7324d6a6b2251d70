import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { authScenarios } from './auth/scenarios.ts'
import { calmRates } from './calm/readings.ts'
import { consoleLists } from './console/scenario.ts'
import { costly } from './costly/scenario.ts'
import { dataScenarios } from './data/scenarios.ts'
import { deliveryScenarios } from './deliveries/scenarios.ts'
import { historyReplicas } from './history/replicas.ts'
import { history } from './history/scenario.ts'
import { historyDeletion, historyMove } from './history/work-beside-writes.ts'
import { rssMiBOf, servicesOf, type Usage, usageOf } from './measure/processes.ts'
import { openBench } from './platform/open-bench.ts'
import { isAnyMissing, printed, printRows } from './report/report.ts'
import { inRounds } from './report/rounds.ts'
import { stallScenarios } from './stalls/scenarios.ts'
import { manySubscriptions } from './subscriptions/scenario.ts'

/**
 * `npm run bench`: measures the running system. Prints results and their limits; fails only for
 * lost deliveries.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'limit,rate,rest,topic1,topic10' },
    seconds: { type: 'string', default: '10' },
    changes: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '1000000' },
    /** Of `subscriptions`. */
    projects: { type: 'string', default: '10000' },
    replicas: { type: 'string', default: '4' },
    /** Changes per second of `calm`. */
    rates: { type: 'string', default: calmRates.join(',') },
    /** With more than one round, medians are printed too. */
    rounds: { type: 'string', default: '1' },
    /** Another checkout, whose running system is measured. */
    at: { type: 'string', default: repoRoot },
    /** A file for the printed results. */
    json: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const changes = Number(options.changes)
const rounds = Number(options.rounds)
const rows = Number(options.rows)
const many = { projects: Number(options.projects), replicas: Number(options.replicas) }
const names = options.only.split(',')

await using bench = await openBench(options.at)
const { system, runDirs, tls } = bench
const scenarios: Record<string, () => Promise<void>> = {
  ...deliveryScenarios({ bench, seconds, changes, rates: options.rates.split(',').map(Number) }),
  history: () => history(system, rows),
  move: () => historyMove(bench, { rows, seconds }),
  deletion: () => historyDeletion(bench, { rows, seconds }),
  replicas: () => historyReplicas(bench, changes),
  console: () => consoleLists(bench, rows),
  costly: () => costly(bench),
  subscriptions: () => manySubscriptions(bench, { ...many, subscriptions: rows, changes }),
  ...authScenarios({ system, seconds, runDirs }),
  ...dataScenarios({ system, seconds, runDirs, rows }),
  ...stallScenarios({ system, runDirs, seconds, changes, tls }),
}
for (const name of names) scenarioOf(name)
printRows('at rest', idleRows(usageOf(runDirs)))
if (rounds > 1) await inRounds({ names, rounds, run: (name) => scenarioOf(name)() })
else for (const name of names) await scenarioOf(name)()
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(printed))
if (isAnyMissing()) process.exitCode = 1

function scenarioOf(name: string): () => Promise<void> {
  const run = scenarios[name]
  if (run !== undefined) return run
  throw new Error(`no scenario ${name}; there are: ${Object.keys(scenarios).join(', ')}`)
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
