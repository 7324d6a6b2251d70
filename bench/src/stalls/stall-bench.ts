import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ChangePublisher, NewChange } from '@surehook/publisher'
import { openChangePublisher } from '@surehook/publisher'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import {
  type BenchProject,
  createProject,
  createTable,
  newRecord,
  subscribe,
} from '../platform/platform.ts'
import { type ManyEndpoints, openManyEndpoints } from './many-endpoints/many-endpoints.ts'

export type StallOptions = {
  system: RunningSystem
  runDirs: readonly string[]
  seconds: number
  changes: number
  tls: { key: string; cert: string }
}

export type StallBench = AsyncDisposable &
  StallOptions & { endpoints: ManyEndpoints; publisher: ChangePublisher }

export async function openStallBench(options: StallOptions): Promise<StallBench> {
  await using opening = new AsyncDisposableStack()
  const endpoints = opening.use(await openManyEndpoints(options.tls))
  const publisher = opening.use(
    await openChangePublisher({
      brokers: options.system.kafkaBrokers.split(','),
      schemaRegistryUrl: options.system.schemaRegistryUrl,
      source: 'bench',
    }),
  )
  const resources = opening.move()
  return {
    ...options,
    endpoints,
    publisher,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export type StallProject = BenchProject & {
  /** Deletes its subscriptions, which cancels their remaining deliveries. */
  retire(): Promise<void>
}

/** Creates a project with one table, and subscribes every path to it. */
export async function projectWith(
  { system, endpoints }: StallBench,
  paths: readonly string[],
): Promise<StallProject> {
  const project = await createProject(system)
  await createTable(project, table)
  const ids: string[] = []
  for (const path of paths) ids.push(await subscribe(project, table, endpoints.url(path)))
  return {
    ...project,
    async retire() {
      for (const id of ids) await project.call('DELETE', `/_webhooks/${id}`)
    },
  }
}

const table = 'bench'
/** Large enough to cost little, and small enough not to add latency. */
const batch = 500
const tickMs = 10

/** Publishes as fast as Kafka takes them. */
export async function publish(
  { publisher }: StallBench,
  project: BenchProject,
  { count }: { count: number },
): Promise<void> {
  for (let from = 0; from < count; from += batch) {
    const size = Math.min(batch, count - from)
    const changes = Array.from({ length: size }, () => changeOf(project))
    await publisher.publish(changes)
  }
}

/**
 * Publishes at a fixed rate until stopped, independently of the results. Resolves with the number
 * published.
 */
async function publishAtRate(
  { publisher }: StallBench,
  project: BenchProject,
  { perSecond, until }: { perSecond: number; until: AbortSignal },
): Promise<number> {
  const startedAt = performance.now()
  let sent = 0
  const pending: Promise<void>[] = []
  while (!until.aborted) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
    const changes = Array.from({ length: due - sent }, () => changeOf(project))
    if (changes.length > 0) pending.push(publisher.publish(changes))
    sent = Math.max(sent, due)
    await wait(tickMs)
  }
  await Promise.all(pending)
  return sent
}

/** Calls `run` while a low load goes on. */
export async function beside<T>(
  bench: StallBench,
  load: { project: BenchProject; perSecond: number },
  run: () => Promise<T>,
): Promise<{ result: T; sent: number }> {
  const stop = new AbortController()
  const sending = publishAtRate(bench, load.project, { ...load, until: stop.signal })
  try {
    const result = await run()
    stop.abort()
    return { result, sent: await sending }
  } finally {
    stop.abort()
  }
}

function changeOf({ projectId }: BenchProject): NewChange {
  const recordId = randomUUID()
  const record = { id: recordId, ...newRecord() }
  return { projectId, environment: 'master', table, recordId, operation: 'INSERT', record }
}
