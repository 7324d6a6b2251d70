import { findRunningSystem, type RunningSystem } from '@surehook/scripts/lib/running-system'
import { type BenchReceiver, startReceiver } from '../receiver/receiver.ts'
import { type BenchProject, createProject, createTable, subscribe } from './platform.ts'

/** A running system, and a receiver of its webhooks. */
export type Bench = AsyncDisposable & {
  readonly system: RunningSystem
  readonly receiver: BenchReceiver
  /** The directories of the pids of the system's processes. */
  readonly runDirs: readonly string[]
  /** Files that `npm start` made. */
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string }
}

/** How long deliveries may take after the last write. */
export const drainMs = 120_000

/** @param checkout the checkout whose system runs */
export async function openBench(checkout: string): Promise<Bench> {
  const local = `${checkout}/.local`
  const file = (name: string) => `${local}/demo-ca/${name}`
  const tls = { key: file('server.key'), cert: file('server.pem'), ca: file('ca.pem') }
  const system = await findRunningSystem(`${local}/endpoints.json`)
  const receiver = await startReceiver(tls)
  return {
    ...{ system, receiver, tls },
    runDirs: [`${local}/system/run`, `${local}/stack/run`],
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** Creates a project with the table `bench`. Each insert causes `count` deliveries. */
export async function tableWithSubscriptions(
  { system, receiver }: Bench,
  count: number,
): Promise<BenchProject> {
  const project = await createProject(system)
  await createTable(project, 'bench')
  for (let n = 0; n < count; n++) await subscribe(project, 'bench', receiver.url(`/hook-${n}`))
  await receiver.reset()
  return project
}
