import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDemoReceiver } from 'surehook/demo/demo-receiver'
import { showCircuit } from 'surehook/demo/show-circuit'
import { showDeadLetter } from 'surehook/demo/show-dead-letter'
import { openStage, type Stage } from 'surehook/demo/stage'
import { state } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'
import { startLocalStack } from '../local-stack/local-stack.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { say, step } from '../start/progress.ts'
import { newSecrets } from '../system/service-catalog.ts'
import { startServices } from '../system/start-services.ts'

/**
 * `npm run test:nightly`: checks five attempts in 5 min 36 s and the cooldown of 2 min, on a
 * separate system.
 */
process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  const built = await runCommand({ args: ['npm', 'run', '-s', 'build'] })
  if (!built.ok) throw new Error(`the build failed:\n${built.output}`)
  await using opening = new AsyncDisposableStack()
  const dir = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-nightly-')), (path) =>
    rm(path, { recursive: true }),
  )
  const endpoints = await startLocalStack({ dir: join(dir, 'stack') })
  opening.defer(() => endpoints.stop())
  const { caFile, keyFile, certificateFile } = await ensureDemoCa(state.demoCaDir)
  // Sets no variable for delays, because the defaults are under test.
  const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_EXTRA_CA_FILE: caFile }
  const secrets = newSecrets()
  const system = await step('system ready', () =>
    startServices({ dir: join(dir, 'system'), endpoints, secrets, env }),
  )
  opening.defer(() => system.stop())

  // Copied from the specification.
  const times = { retryDelaysMs: [1_000, 5_000, 30_000, 300_000], cooldownMs: 120_000 }
  const pem = {
    key: await readFile(keyFile, 'utf8'),
    cert: await readFile(certificateFile, 'utf8'),
  }
  const signal = AbortSignal.timeout(15 * 60_000)
  const check = async (name: string, show: (stage: Stage) => Promise<void>) => {
    const sayLine = (line: string) => say(`${name}: ${line.trim()}`)
    await using receiver = await openDemoReceiver(new URL('https://localhost:0'), pem)
    const url = `${receiver.url}/hooks`
    await using stage = await openStage({
      platform: system,
      url,
      receiver,
      times,
      signal,
      say: sayLine,
    })
    await show(stage)
  }
  const ended = await Promise.allSettled([
    check('attempts', showDeadLetter),
    check('circuit', showCircuit),
  ])
  const failed = ended.filter((one) => one.status === 'rejected')
  for (const { reason } of failed) console.error(reason instanceof Error ? reason.message : reason)
  say(`${ended.length - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0
}
