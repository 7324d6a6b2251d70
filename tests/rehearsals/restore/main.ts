import { parseArgs } from 'node:util'
import { createTenant } from '@surehook/scripts/client/tenant'
import { localDir, repoRoot } from '@surehook/scripts/lib/paths'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import { build } from '@surehook/scripts/versions/check-out'
import { until } from '@surehook/testing/until'
import { emptyDir } from '../../faults/suite/empty-dir.ts'
import { describeOutcome } from '../../faults/suite/report.ts'
import { runUnderLoad } from '../../faults/suite/run-trial.ts'
import { openStage, type Stage } from '../../faults/suite/stage/stage.ts'
import { undecidedAtMost } from '../../support/deliveries/fault-world.ts'
import { indented, operatorEnv, surehook, trySurehook } from '../support/surehook.ts'
import {
  archiving,
  backUp,
  type ClusterFiles,
  clusterFiles,
  firstWalFile,
  restore,
} from './cluster-files.ts'
import { untilRecycled } from './recycled-wal.ts'
import { archiveAll, writeUnarchived } from './unarchived.ts'

/**
 * `npm run rehearse -- restore`: loses PostgreSQL under load twice, once with its WAL on another
 * disk, and once with everything unarchived. Exits with 1 if anything is missing afterwards.
 */
const { values } = parseArgs({
  options: { dir: { type: 'string', default: `${localDir}/restore` } },
})

const load = { writers: { rest: 4, graphql: 2, topic: 2, http: 0 }, pauseMs: 100, leadS: 3 }
const since = ['--since', '30m']
const oneOfEach = Object.fromEntries(serviceNames.map((name) => [name, 1])) as Record<
  ServiceName,
  number
>
/** The services with a replication slot. */
const capturing = ['auth-service', 'data-api', 'webhook-api'] as const

const say = (line: string) => void process.stdout.write(`${line}\n`)

process.exitCode = (await rehearse()) ? 0 : 1

async function rehearse(): Promise<boolean> {
  await build({ name: 'this checkout', dir: repoRoot })
  const dir = await emptyDir(values.dir)
  const files = await clusterFiles(`${dir}/stack`)
  const postgresSettings = archiving(files)
  await using stage = await openStage(dir, { replicas: oneOfEach, postgresSettings })
  const all = [await withItsWal(stage, files), await withoutItsWal(stage, files)]
  const isGood = all.every((good) => good)
  say(isGood ? 'nothing is missing' : 'FAILED')
  return isGood
}

async function withItsWal(stage: Stage, files: ClusterFiles): Promise<boolean> {
  say('the database is lost under load, its WAL is not')
  const mayRepeat = 2 * undecidedAtMost
  const outcome = await runUnderLoad({ ...load, mayRepeat }, stage, async () => {
    await backUp(stage.stack.databaseUrl, files)
    await untilRecycled(stage.stack.databaseUrl, await firstWalFile(files))
    await loseAndRestore(stage, files, 'kept')
  })
  say(describeOutcome(outcome))
  return outcome.faults.length === 0
}

async function withoutItsWal(stage: Stage, files: ClusterFiles): Promise<boolean> {
  say('the database is lost with what was not archived')
  const tenant = await createTenant(stage.platform)
  await tenant.putTable('orders', { n: 'integer', note: 'text', amount: 'bigint' })
  const kept = await tenant.insert({ n: 1, note: 'archived', amount: '9007199254740993' })
  // The WAL of the first half is removed only once the archive has everything before it.
  await untilRecycled(stage.stack.databaseUrl, await firstWalFile(files))
  await archiveAll(stage.stack.databaseUrl)
  const written = await writeUnarchived(tenant, stage.receiver, kept.id)
  await loseAndRestore(stage, files, 'lost')
  const faults = await written.faults()
  for (const fault of faults) say(`     FAILED: ${fault}`)
  say(`     ${written.records} records and a subscription of which only the topics knew are back`)
  return faults.length === 0
}

async function loseAndRestore(
  stage: Stage,
  files: ClusterFiles,
  wal: 'kept' | 'lost',
): Promise<void> {
  const env = operatorEnv(stage)
  const startedAt = performance.now()
  const { postgres } = stage.stack.processes
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  await postgres.kill('SIGKILL')
  const services = capturing.flatMap((name) => stage.system.services[name])
  await Promise.all(services.map((service) => service.stop()))
  await restore(files, wal)
  await postgres.restart()
  say('     restored from the backup and the WAL; surehook reconcile:')
  const { output } = await trySurehook(['reconcile', ...since], env)
  say(indented(`     ${output}`))
  if (/^(cannot be read|not there):/m.test(output)) throw new Error('a slot of the backup is lost')
  await surehook(['reconcile', ...since, '--apply'], env)
  say(indented(await surehook(['prepare', 'database'], env)))
  await Promise.all(services.map((service) => service.restart()))
  await until(() => isServing(stage), { what: 'the gateway' })
  say(`     up again after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}

function isServing({ platform }: Stage): Promise<boolean> {
  return fetch(`${platform.baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}
