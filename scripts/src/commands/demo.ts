import { parseArgs } from 'node:util'
import { parseDuration } from '@surehook/service-kit/time'
import { expectThat } from '../demo/expect-that.ts'
import { showChanges } from '../demo/show-changes.ts'
import { showCircuit } from '../demo/show-circuit.ts'
import { seconds, showRetries } from '../demo/show-retries.ts'
import { openStage, type Stage } from '../demo/stage.ts'
import { answersOk } from '../lib/http-probe.ts'
import { findRunningSystem, type RunningSystem } from '../lib/running-system.ts'
import { say } from '../start/progress.ts'

/**
 * `npm run demo`: shows the main features on the running system. Exits with 1 if anything is wrong.
 */
const quickLimitMs = 30_000
const acts: [title: string, play: (stage: Stage) => Promise<void>][] = [
  ['Every change arrives, signed', showChanges],
  ['A receiver that fails gets it again', showRetries],
  ['Five failures in a row open the circuit', showCircuit],
]

try {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, endpoints: { type: 'string' } },
  })
  const running = await findRunningSystem(values.endpoints)
  expectThat(
    await answersOk(`${running.baseUrl}/readyz`),
    `the system at ${running.baseUrl} is not ready; see .local/system/*.log`,
  )
  if (values.quick) requireShortTimes(running)
  await play(running)
} catch (err) {
  console.error(`\nFAILED: ${reason(err)}`)
  process.exitCode = 1
}

async function play(running: RunningSystem): Promise<void> {
  const startedAt = performance.now()
  say(`Surehook demo on ${running.baseUrl}\n`)
  say('1  A project, a table, a subscription, an HTTPS receiver')
  {
    await using stage = await openStage(running, say)
    process.once('SIGINT', () => void cleanUp(stage))
    for (const [index, [title, playAct]] of acts.entries()) {
      say(`\n${index + 2}  ${title}`)
      await playAct(stage)
    }
  }
  say(`\nCleaned up. Everything worked (${seconds(performance.now() - startedAt)}).`)
}

async function cleanUp(stage: Stage): Promise<void> {
  await stage[Symbol.asyncDispose]()
  process.exit(130)
}

/** The demo can be quick only on a system that was started with short delays. */
function requireShortTimes({ retryDelays, circuitCooldown }: RunningSystem): void {
  const times = [...retryDelays.slice(0, 2), circuitCooldown].map(parseDuration)
  const sumMs = times.reduce((sum, ms) => sum + ms, 0)
  expectThat(
    sumMs <= quickLimitMs,
    `--quick: this system waits ${seconds(sumMs)} for retries and cooldown; start it with ` +
      'WEBHOOK_RETRY_DELAYS=500ms,1s,2s,3s WEBHOOK_CIRCUIT_COOLDOWN=5s npm start',
  )
}

function reason(err: unknown): string {
  // Reports the first failure rather than the failed clean-up after it.
  if (err instanceof SuppressedError) return reason(err.suppressed)
  if (!(err instanceof Error)) return String(err)
  return err.cause instanceof Error ? `${err.message} (${err.cause.message})` : err.message
}
