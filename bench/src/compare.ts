import { parseArgs } from 'node:util'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { modeOf } from '@surehook/scripts/system/service-catalog'
import { checkOut } from '@surehook/scripts/versions/check-out'
import type { ScenarioFigures } from './compare/medians.ts'
import { compare } from './compare/ratios.ts'
import { measure } from './compare/version.ts'

/**
 * `npm run bench:compare <commit>`: measures that version and this checkout in turn with the same
 * scenarios.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: 'limit,rate,rest,topic1,topic10' },
    seconds: { type: 'string', default: '5' },
    changes: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '2' },
    /** `single`: the services in one process. */
    mode: { type: 'string', default: 'separate' },
  },
})
const [commit] = positionals
if (commit === undefined)
  throw new Error('usage: npm run bench:compare <commit> [-- --only topic1]')
const benchArgs = ['only', 'seconds', 'changes'].flatMap((name) => [
  `--${name}`,
  options[name as 'only'],
])
const mode = modeOf({ SUREHOOK_MODE: options.mode })
const versions = [await checkOut(commit), { name: 'this checkout', dir: repoRoot }] as const
const runs: [ScenarioFigures[], ScenarioFigures[]] = [[], []]
for (let round = 1; round <= Number(options.rounds); round++) {
  for (const [index, version] of versions.entries()) {
    console.log(`\n# round ${round}: ${version.name}`)
    runs[index as 0 | 1].push(await measure({ ...version, mode }, benchArgs))
  }
}
const [before, after] = runs
console.log(
  `\n# ${versions[1].name} against ${versions[0].name}: medians of ${options.rounds} and their ratio`,
)
console.log('# the machine without the system, in each run:')
for (const [index, printed] of runs.entries()) {
  const limits = printed.flat().filter(({ title }) => title === 'the machine without the system')
  console.log(`  ${versions[index]?.name}: ${limits.map(({ value }) => value).join(', ')}`)
}
let title = ''
for (const row of compare(before, after)) {
  if (row.title !== title) console.log(`\n${row.title}`)
  title = row.title
  console.log(`  ${row.measure}: ${row.before} → ${row.after}   × ${row.ratio}`)
}
