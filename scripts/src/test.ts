import { mkdir, readdir, rm } from 'node:fs/promises'
import { type JestLevel, runJest } from './check/jest-step.ts'
import { checkLintCanary } from './check/lint-canary.ts'
import { commandStep, runSteps, type Step } from './check/step.ts'
import { localDir } from './lib/paths.ts'
import { ownerOf } from './lib/process-group.ts'
import { startLocalStack } from './local-stack/local-stack.ts'

/** `npm test`: every check and every test, one line each; the last line is the sum. */
const runsDir = `${localDir}/test-runs`
const runDir = `${runsDir}/${process.pid}`

await removeOldRuns()
await mkdir(runDir, { recursive: true })
// Comes up while the static checks run; a failure shows in the first step that needs it.
const starting = startLocalStack({ dir: `${runDir}/stack` })
starting.catch(() => {})
const stopStack = async () => (await starting.catch(() => null))?.stop()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopStack().finally(() => process.exit(1)))
}

const total = await runSteps([
  commandStep('format', ['npm', 'run', '-s', 'check:format']),
  commandStep('build', ['npm', 'run', '-s', 'build']),
  commandStep('types', ['npm', 'run', '-s', 'check:types']),
  commandStep('lint', ['npm', 'run', '-s', 'check:lint']),
  { name: 'lint canary', run: checkLintCanary },
  commandStep('boundaries', ['npm', 'run', '-s', 'check:boundaries']),
  commandStep('dead code', ['npm', 'run', '-s', 'check:dead-code']),
  commandStep('generated', ['npm', 'run', '-s', 'check:generated']),
  commandStep('openapi', ['npm', 'run', '-s', 'check:openapi']),
  jestStep('unit'),
  jestStep('integration'),
  jestStep('e2e', ['build']),
  jestStep('faults', ['build']),
])
await stopStack()
if (total.failed === 0) await rm(runDir, { recursive: true, force: true })
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function jestStep(level: JestLevel, needs: readonly string[] = []): Step {
  return {
    name: level,
    needs,
    run: async () => runJest({ level, dir: runDir, env: level === 'unit' ? {} : await stackEnv() }),
  }
}

async function stackEnv(): Promise<NodeJS.ProcessEnv> {
  const stack = await starting
  return {
    TEST_DATABASE_URL: stack.databaseUrl,
    TEST_KAFKA_BROKERS: stack.kafkaBrokers,
    TEST_REGISTRY_URL: stack.schemaRegistryUrl,
    TEST_REDIS_URL: stack.redisUrl,
  }
}

/** What a failed run left to look at goes when the next one starts. */
async function removeOldRuns(): Promise<void> {
  await mkdir(runsDir, { recursive: true })
  for (const name of await readdir(runsDir)) {
    if ((await ownerOf(`${runsDir}/${name}/stack`)) !== null) continue
    await rm(`${runsDir}/${name}`, { recursive: true, force: true })
  }
}
