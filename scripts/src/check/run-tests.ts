import { mkdir, readdir, rm } from 'node:fs/promises'
import { chooseInfra, type Infra, whyNotLocal } from '../containers/choose-infra.ts'
import { startStacks } from '../containers/start-stack.ts'
import { localDir } from '../lib/paths.ts'
import { ownerOf } from '../lib/processes/process-group.ts'
import { hasToolchain, missingToolchains, type Toolchain } from '../lib/toolchains.ts'
import { type JestLevel, runJest, testWorkers } from './jest-step.ts'
import { commandStep, runSteps, type Step, type Total } from './step.ts'

/** What a plan builds its steps with. */
export type TestRun = {
  infra: Infra
  /** Why the local stack cannot run here, or `null`. Fault and TLS tests act on its processes. */
  noLocal: string | null
  /** Keeps the logs of a failed run. */
  dir: string
  /** A step that runs `npm run <name>`. */
  npm(name: string): Step
  /** A step that runs `npm run check:<name>` at a low priority. */
  check(name: string): Step
  jest(level: JestLevel, options?: Partial<Omit<Step, 'run'>> & { priority?: number }): Step
  /** Returns the steps, or none if the tool is missing. The end of the output names it then. */
  withTool(tool: Toolchain, ...steps: Step[]): Step[]
}

/** The steps of a command. The lines of steps run side by side, after the first ones. */
export type TestPlan = {
  first: readonly Step[]
  lines: readonly (readonly Step[])[]
  /** Lines to print at the end. */
  said: readonly string[]
}

const runsDir = `${localDir}/test-runs`
/** Static checks use what the tests on the stack leave, so they may take long. */
const aside = { priority: 10, timeoutMs: 2_700_000 }

/** Runs the steps of `plan`, prints a line when each ends, and then the sum. Sets the exit code. */
export async function runTests(plan: (run: TestRun) => Promise<TestPlan>): Promise<void> {
  const startedAt = performance.now()
  const dir = `${runsDir}/${process.pid}`
  await removeOldRuns()
  await mkdir(dir, { recursive: true })
  // Each start of a service saves a tenth of its CPU.
  process.env['NODE_COMPILE_CACHE'] = `${dir}/compiled`
  const infra = await chooseInfra(process.env)
  const noLocal = infra === 'local' ? null : await whyNotLocal(process.env)
  const { total, said } = await runPlan(plan, { infra, noLocal, dir })
  for (const line of said) console.log(line)
  if (total.flaky > 0) {
    console.log(`${total.flaky} tests failed first and passed alone: find out why, see above`)
  }
  if (total.failed + total.flaky === 0) await rm(dir, { recursive: true, force: true })
  console.log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed === 0 ? 0 : 1
}

async function runPlan(
  plan: (run: TestRun) => Promise<TestPlan>,
  { infra, noLocal, dir }: Pick<TestRun, 'infra' | 'noLocal' | 'dir'>,
): Promise<{ total: Total; said: string[] }> {
  const tools = new Set<Toolchain>(['browser', 'python'])
  await using stacks = openStacks(dir, infra)
  const { first, lines, said } = await plan({
    infra,
    noLocal,
    dir,
    npm: (name) => commandStep(name, ['npm', 'run', '-s', name]),
    check: (name) =>
      commandStep(name.replaceAll('-', ' '), ['npm', 'run', '-s', `check:${name}`], aside),
    jest: (level, { priority = 0, ...step } = {}) => ({
      name: level,
      ...step,
      run: () => {
        const environment = () => environmentOf(level, { infra, stacks })
        return runJest({ level, dir, environment, without: filesWithout(level, noLocal), priority })
      },
    }),
    withTool: (tool, ...steps) => {
      tools.add(tool)
      return hasToolchain(tool, process.env) ? steps : []
    },
  })
  const total = await runSteps(first, ...lines)
  const missing = missingToolchains(process.env, [...tools])
  return { total, said: [...said, ...(missing === null ? [] : [missing])] }
}

type Stacks = AsyncDisposable & {
  /** The value of TEST_STACKS: the endpoints of a stack for each Jest worker. Starts the stacks. */
  endpoints(): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the stacks while the first steps run. A failure appears in the first step that needs a
 * stack.
 */
function openStacks(dir: string, infra: Infra): Stacks {
  const env = { TEST_INFRA: infra }
  let running: ReturnType<typeof startStacks> | null = null
  const start = () => {
    running ??= startStacks(testWorkers, { dir: `${dir}/stacks`, env })
    return running
  }
  const stop = async () => {
    const stopped = running
    running = null
    await (await stopped?.catch(() => null))?.stop()
  }
  start().catch(() => {})
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(1)))
  }
  return {
    endpoints: async () => JSON.stringify((await start()).endpoints),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function environmentOf(
  level: JestLevel,
  { infra, stacks }: { infra: Infra; stacks: Stacks },
): Promise<NodeJS.ProcessEnv> {
  if (level === 'unit' || level === 'deploy' || level === 'containers') return {}
  if (level === 'faults') {
    // These tests start stacks of their own, because they break them. Others would use the CPU.
    await stacks.stop()
    return { TEST_INFRA: 'local' }
  }
  return { TEST_INFRA: infra, TEST_STACKS: await stacks.endpoints() }
}

/** Test files in which nothing can run on this machine. */
function filesWithout(level: JestLevel, noLocal: string | null): RegExp | null {
  if (level !== 'e2e' && level !== 'e2e-all') return null
  const files = [
    ...(noLocal === null ? [] : ['secured']),
    ...(hasToolchain('python', process.env) ? [] : ['fuzz']),
    ...(hasToolchain('browser', process.env) ? [] : ['(browser|console)/[^/]+', 'in-browser']),
  ]
  return files.length === 0 ? null : new RegExp(`(${files.join('|')})\\.(all\\.)?e2e\\.test`)
}

/** Deletes the files of earlier runs, which failed ones had kept for inspection. */
async function removeOldRuns(): Promise<void> {
  await mkdir(runsDir, { recursive: true })
  for (const name of await readdir(runsDir)) {
    if ((await ownerOf(`${runsDir}/${name}/stacks/0`)) !== null) continue
    await rm(`${runsDir}/${name}`, { recursive: true, force: true })
  }
}
