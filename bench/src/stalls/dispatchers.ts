import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { answersOk } from '@surehook/scripts/lib/http-probe'
import { freePort } from '@surehook/scripts/lib/ports'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { usageOf } from '../measure/processes.ts'
import { commandOf, environmentOf, pidFilesOf } from '../measure/service-processes.ts'
import { lossRows, perSecond, printRows } from '../report/report.ts'
import { slowestOf } from './path-stats.ts'
import { projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const paths = Array.from({ length: 16 }, (_, n) => `/ok/scaled-${n}`)
const drainMs = 600_000
const service = 'webhook-dispatcher'

/** Measures the same deliveries by one dispatcher, and by two that share the partitions. */
export async function dispatchers(bench: StallBench): Promise<void> {
  const project = await projectWith(bench, paths)
  await delivered(bench, project, { count: 200 })
  const count = Math.ceil(bench.changes / paths.length)
  const one = await delivered(bench, project, { count })
  await using second = await startSecond(bench)
  const others = { [`${service}-2`]: second.pid }
  await delivered(bench, project, { count: 200 })
  const two = await delivered(bench, project, { count, others })
  printRows(`one and two dispatchers on ${availableParallelism()} cores`, [
    { measure: 'one', value: one.text },
    { measure: 'two', value: two.text },
    { measure: 'ratio', value: (two.rate / one.rate).toFixed(2) },
    {
      measure: 'cores in use with one, with two (services and stack)',
      value: `${one.cores.toFixed(2)}, ${two.cores.toFixed(2)}`,
    },
    ...[one, two].flatMap(lossRows),
  ])
  await project.retire()
}

async function delivered(
  { endpoints, ...bench }: StallBench,
  project: StallProject,
  { count, others = {} }: { count: number; others?: Readonly<Record<string, number>> },
) {
  await endpoints.reset()
  const before = cpuOf(bench.runDirs, others)
  const startedAt = performance.now()
  await publish({ endpoints, ...bench }, project, { count })
  const came = slowestOf(await endpoints.waitFor(paths, count, drainMs))
  const ms = performance.now() - startedAt
  return {
    ...came,
    rate: came.unique / ms,
    text: perSecond(came.unique, ms),
    cores: ((cpuOf(bench.runDirs, others) - before) * 1000) / ms,
  }
}

const cpuOf = (...of: Parameters<typeof usageOf>) =>
  Object.values(usageOf(...of)).reduce((sum, { cpuS }) => sum + cpuS, 0)

/** Starts a second dispatcher with the environment of the first one. */
async function startSecond({ runDirs }: StallBench): Promise<AsyncDisposable & { pid: number }> {
  const [first] = pidFilesOf(runDirs, service)
  if (first === undefined) throw new Error('no dispatcher runs')
  const [command = '', ...args] = commandOf(first)
  const port = await freePort()
  const env = { ...environmentOf(first), INTERNAL_PORT: String(port) }
  const child = spawn(command, args, { env, stdio: 'ignore' })
  const isReady = () => answersOk(`http://127.0.0.1:${port}/readyz`)
  await waitUntil(isReady, { what: 'the second dispatcher', timeoutMs: 30_000 })
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
