import { mkdir, readdir, rm } from 'node:fs/promises'
import { containerChecks } from '../check/container-checks.ts'
import { type JestLevel, runJest, testWorkers } from '../check/jest-step.ts'
import { checkLintCanary } from '../check/lint-canary.ts'
import { commandStep, runSteps, type Step } from '../check/step.ts'
import { chooseInfra, whyNotLocal } from '../containers/choose-infra.ts'
import { startStacks } from '../containers/start-stack.ts'
import { localDir } from '../lib/paths.ts'
import { ownerOf } from '../lib/processes/process-group.ts'
import { hasToolchain, missingToolchains, type Toolchain } from '../lib/toolchains.ts'

/** `npm test`: runs every check and every test. Prints a line when each ends, and then the sum. */
const runsDir = `${localDir}/test-runs`
const runDir = `${runsDir}/${process.pid}`

await removeOldRuns()
await mkdir(runDir, { recursive: true })
// The run starts the six services about 75 times: each start saves a tenth of its CPU.
process.env['NODE_COMPILE_CACHE'] = `${runDir}/compiled`
const infra = await chooseInfra(process.env)
/** Fault and TLS tests act on processes, so they need the local stack. */
const noLocal = infra === 'local' ? null : await whyNotLocal(process.env)
// The stacks start during the static checks. A failure appears in the first step that needs a
// stack.
const starting = startStacks(testWorkers, { dir: `${runDir}/stacks`, env: { TEST_INFRA: infra } })
starting.catch(() => {})
const stopStacks = async () => (await starting.catch(() => null))?.stop()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopStacks().finally(() => process.exit(1)))
}

const containers = await containerChecks(runDir, process.env)
/** The checks without a stack use what the others leave, so they may take long. */
const aside = { priority: 10, timeoutMs: 2_700_000 }
const check = (name: string) =>
  commandStep(name.replaceAll('-', ' '), ['npm', 'run', '-s', `check:${name}`], aside)
const total = await runSteps(
  // Generated files are written again: no test may read them meanwhile.
  [commandStep('build', ['npm', 'run', '-s', 'build']), check('generated')],
  [
    check('format'),
    check('types'),
    check('lint'),
    { name: 'lint canary', run: checkLintCanary },
    check('boundaries'),
    check('dead-code'),
    check('migrations'),
    check('schemas'),
    withTool('promtool', check('alerts')),
    check('openapi'),
    check('packages'),
    check('docs'),
    jestStep('unit', aside),
    withTool('helm', check('helm')),
    withTool('helm', jestStep('deploy', aside)),
  ],
  // One after the other: side by side they take as long, and a busy machine breaks some of them.
  [
    jestStep('integration'),
    ...containers.steps,
    { ...jestStep('e2e'), needs: ['build'] },
    ...(noLocal === null ? [{ ...jestStep('faults'), needs: ['build'] }] : []),
  ],
)
await stopStacks()
console.log(containers.said)
const missing = missingToolchains(process.env)
if (missing !== null) console.log(missing)
if (infra === 'containers') console.log(`TEST_INFRA=containers: ${whatIsLocal()}`)
if (total.flaky > 0) {
  console.log(
    `${total.flaky} tests failed first and passed alone: a bug of theirs or of ours, see above`,
  )
}
if (total.failed + total.flaky === 0) await rm(runDir, { recursive: true, force: true })
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function jestStep(level: JestLevel, options: { priority?: number } = {}): Step {
  return {
    name: level,
    run: async () =>
      runJest({
        level,
        dir: runDir,
        env: await environmentOf(level),
        without: filesWithout(level),
        ...options,
      }),
  }
}

/** Test files in which nothing can run on this machine. */
function filesWithout(level: JestLevel): RegExp | null {
  if (level !== 'e2e') return null
  const files = [
    ...(noLocal === null ? [] : ['secured']),
    ...(hasToolchain('python', process.env) ? [] : ['fuzz']),
    ...(hasToolchain('browser', process.env) ? [] : ['(browser|console)/[^/]+', 'in-browser']),
  ]
  return files.length === 0 ? null : new RegExp(`(${files.join('|')})(\\.all)?\\.e2e\\.test`)
}

/** Skips the step if the tool is missing. */
function withTool(tool: Toolchain, step: Step): Step {
  const nothing = { passed: 0, failed: 0, output: '' }
  return { ...step, run: async () => (hasToolchain(tool, process.env) ? step.run() : nothing) }
}

async function environmentOf(level: JestLevel): Promise<NodeJS.ProcessEnv> {
  if (level === 'unit' || level === 'deploy') return {}
  if (level === 'faults') return { TEST_INFRA: 'local' }
  const { endpoints } = await starting
  return { TEST_INFRA: infra, TEST_STACKS: JSON.stringify(endpoints) }
}

function whatIsLocal(): string {
  return noLocal === null
    ? 'faults and TLS were tested on the local stack'
    : `faults and TLS were not tested; they need the local stack, which cannot run here (${noLocal})`
}

/** Deletes the files of earlier runs, which failed ones had kept for inspection. */
async function removeOldRuns(): Promise<void> {
  await mkdir(runsDir, { recursive: true })
  for (const name of await readdir(runsDir)) {
    if ((await ownerOf(`${runsDir}/${name}/stacks/0`)) !== null) continue
    await rm(`${runsDir}/${name}`, { recursive: true, force: true })
  }
}
