import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { type LoadFigures, mediansOfRounds } from './peers/figures.ts'
import { idle, loadsOf, stateNow } from './peers/loads.ts'
import { calmTable, fullTable, stateTable } from './peers/tables.ts'
import { openBench } from './platform/open-bench.ts'
import { lossRows, printRows } from './report/report.ts'

/**
 * `npm run bench:peers`: prints the figures that other systems publish, in their units, as Markdown
 * tables.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    changes: { type: 'string', default: '20000' },
    /** A part of the names of the loads to run. The default is all. */
    only: { type: 'string', default: '' },
    /** Another checkout, whose running system is measured. */
    at: { type: 'string', default: repoRoot },
    /** A file for the figures of each round. */
    json: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)

await using bench = await openBench(options.at)
const atRest = await idle(bench, seconds)
const loads = loadsOf(bench, { seconds, changes: Number(options.changes) }).filter(({ name }) =>
  name.includes(options.only),
)
const found = new Map(loads.map(({ name }) => [name, [] as LoadFigures[]]))
for (let round = 1; round <= rounds; round++) {
  for (const { name, measure } of loads) {
    console.log(`# round ${round} of ${rounds}: ${name}`)
    found.get(name)?.push(await measure())
  }
}
const afterLoad = await stateNow(bench)

const linesOf = (kind: 'full' | 'calm') =>
  loads
    .filter((load) => load.kind === kind)
    .map(({ name }) => [name, mediansOfRounds(found.get(name) ?? [])] as const)
const [full, calm] = [linesOf('full'), linesOf('calm')]
console.log(`\n${availableParallelism()} cores, ${cpus()[0]?.model}; medians of ${rounds}\n`)
console.log([...fullTable(full), '', ...calmTable(calm), ''].join('\n'))
console.log(
  stateTable([
    ['idle', atRest],
    ['after the load', afterLoad],
  ]).join('\n'),
)
const losses = [...full, ...calm].flatMap(([name, figures]) =>
  lossRows(figures).map((row) => ({ ...row, measure: `${name}: ${row.measure}` })),
)
if (losses.length > 0) printRows('deliveries', losses)
if ([...full, ...calm].some(([, { missing }]) => missing > 0)) process.exitCode = 1
if (options.json !== undefined) {
  await writeFile(options.json, JSON.stringify({ ...Object.fromEntries(found), atRest, afterLoad }))
}
