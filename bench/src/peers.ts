import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { mediansOfRounds, type ShapeRows } from './peers/figures.ts'
import { measureShape, type ShapeFigures } from './peers/shapes.ts'
import { calmTable, fullTable, stateTable } from './peers/tables.ts'
import { lossRows, printRows } from './report/report.ts'

/**
 * `npm run bench:peers`: prints the figures that other systems publish, in their units, as Markdown
 * tables, of one process and of six beside each other.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    changes: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    /** Another checkout, whose system is measured. */
    at: { type: 'string', default: repoRoot },
    /** A file for the figures of each round. */
    json: { type: 'string' },
  },
})
const { rounds, seconds, changes, only } = options
const measuring = {
  ...{ rounds: Number(rounds), seconds: Number(seconds), changes: Number(changes) },
  only,
}
const shapes = {
  'one process': await measureShape(options.at, 'single', measuring),
  'six processes': await measureShape(options.at, 'separate', measuring),
}
const names = Object.keys(shapes)
const found = Object.values(shapes)

const [full, calm] = [linesOf(found, 'full'), linesOf(found, 'calm')]
console.log(`\n${availableParallelism()} cores, ${cpus()[0]?.model}; medians of ${rounds}\n`)
console.log([...fullTable(names, full), '', ...calmTable(names, calm), ''].join('\n'))
console.log(
  stateTable(names, [
    ['idle', found.map(({ atRest }) => atRest)],
    ['after the load', found.map(({ afterLoad }) => afterLoad)],
  ]).join('\n'),
)
const lines = [...full, ...calm]
const losses = lines.flatMap(([load, ofShapes]) =>
  ofShapes.flatMap((figures, n) =>
    lossRows(figures).map((row) => ({ ...row, measure: `${names[n]}, ${load}: ${row.measure}` })),
  ),
)
if (losses.length > 0) printRows('deliveries', losses)
if (lines.some(([, ofShapes]) => ofShapes.some(({ missing }) => missing > 0))) process.exitCode = 1
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(shapes))

/** The medians of each load of this kind, one of each shape. */
function linesOf(ofShapes: readonly ShapeFigures[], kind: 'full' | 'calm'): ShapeRows {
  const wanted = ofShapes[0]?.loads.filter((load) => load.kind === kind) ?? []
  const roundsOf = ({ loads }: ShapeFigures, name: string) =>
    loads.find((load) => load.name === name)?.rounds ?? []
  return wanted.map(({ name }) => [name, ofShapes.map((of) => mediansOfRounds(roundsOf(of, name)))])
}
