import { execFile } from 'node:child_process'
import { appendFile, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ProcessHandle } from '@surehook/scripts/lib/processes/managed-process'
import { type LocalStack, startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { postgresIdentity, postgresPlace } from '@surehook/scripts/local-stack/postgres-home'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { Client } from 'pg'
import { treeOf } from '../../faults/suite/faults/process-tree.ts'

export type SlotCopy = { slot: string; ready: boolean }

/** A primary and its streaming standby, behind an address that can be switched between them. */
export type PostgresPair = {
  /** The switchable address. */
  readonly url: string
  /** Returns the capture slots on the standby. */
  slotsOfStandby(): Promise<SlotCopy[]>
  /** Cuts the replication to the standby. */
  cutOffStandby(): void
  /** Makes the primary's machine unreachable. */
  losePrimary(): Promise<void>
  /** Freezes the primary: connections stay open, but nothing answers. */
  freezePrimary(): void
  /** Promotes the standby and switches the address to it. */
  promoteStandby(): Promise<void>
  stop(): Promise<void>
}

export type Replication = 'synchronous' | 'asynchronous'

const standby = 'standby'

export async function openPostgresPair(dir: string, how: Replication): Promise<PostgresPair> {
  await using opening = new AsyncDisposableStack()
  const open = async (name: string) => {
    const stack = await startLocalStack({ dir: `${dir}/${name}`, only: ['postgres'] })
    opening.defer(() => stack.stop())
    return stack
  }
  const primary = await open('primary')
  await inDatabase(
    primary.databaseUrl,
    `select pg_create_physical_replication_slot('${standby}', true)`,
  )
  await processOf(primary).stop()
  const replication = opening.use(await TcpProxy.openTo(primary.databaseUrl))
  const primaryUrl = new URL(replication.urlOf(primary.databaseUrl))
  await copyAsStandby(`${dir}/primary`, `${dir}/${standby}`, primaryUrl)
  await processOf(primary).restart()
  const second = await open(standby)
  // With both settings no reader of a capture slot gets ahead of the standby, in physical and
  // logical replication.
  await inDatabase(
    primary.databaseUrl,
    `alter system set synchronized_standby_slots = '${standby}'`,
  )
  if (how === 'synchronous') {
    await inDatabase(
      primary.databaseUrl,
      `alter system set synchronous_standby_names = '${standby}'`,
    )
  }
  await inDatabase(primary.databaseUrl, 'select pg_reload_conf()')
  const link = opening.use(await TcpProxy.openTo(primary.databaseUrl))
  let frozen: number[] = []
  opening.defer(() => {
    // Stopped processes could not be terminated.
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  })
  const resources = opening.move()
  return {
    url: link.urlOf(primary.databaseUrl),
    slotsOfStandby: () => slotsOf(second.databaseUrl),
    cutOffStandby: () => replication.set({ kind: 'drop' }),
    async losePrimary() {
      for (const way of [link, replication]) way.set({ kind: 'reset' })
      await processOf(primary).kill('SIGKILL')
    },
    freezePrimary() {
      frozen = treeOf(processOf(primary).pid ?? 0)
      for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    },
    async promoteStandby() {
      await inDatabase(second.databaseUrl, 'select pg_promote()')
      link.leadTo(portOf(second))
      link.set({ kind: 'pass' })
    },
    stop: () => resources.disposeAsync(),
  }
}

/** Makes a cold copy, which then follows the primary and keeps the capture slots. */
async function copyAsStandby(from: string, to: string, primaryUrl: URL): Promise<void> {
  await mkdir(to, { recursive: true })
  const identity = postgresIdentity()
  const places = [await postgresPlace(from, identity), await postgresPlace(to, identity)]
  const [source, copy] = places.map((place) => `${place}/postgres`) as [string, string]
  await copyFile(`${from}/postgres-password`, `${to}/postgres-password`)
  // Keeps owners and modes, because PostgreSQL checks them.
  await promisify(execFile)('cp', ['-a', source, copy])
  const { hostname, port, username, password, pathname } = primaryUrl
  const way = `host=${hostname} port=${port} user=${username} password=${password}`
  const settings = {
    primary_conninfo: `${way} dbname=${pathname.slice(1)} application_name=${standby}`,
    primary_slot_name: standby,
    hot_standby_feedback: 'on',
    sync_replication_slots: 'on',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(`${copy}/postgresql.auto.conf`, lines.join(''))
  await writeFile(`${copy}/standby.signal`, '')
  // The primary's own slots must not exist on the standby.
  for (const slot of await readdir(`${copy}/pg_replslot`)) {
    await rm(`${copy}/pg_replslot/${slot}`, { recursive: true })
  }
}

async function slotsOf(url: string): Promise<SlotCopy[]> {
  const rows = await inDatabase(
    url,
    `select slot_name as slot, synced and not temporary and invalidation_reason is null as ready
       from pg_replication_slots where slot_type = 'logical' order by slot_name`,
  )
  return rows as SlotCopy[]
}

export async function untilSlotsAreSafe(pair: PostgresPair, count: number): Promise<void> {
  const isSafe = async () => {
    const slots = await pair.slotsOfStandby()
    return slots.length === count && slots.every(({ ready }) => ready)
  }
  await until(isSafe, { what: 'copies of the capture slots', timeoutMs: 90_000 })
}

async function inDatabase(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function processOf({ processes }: LocalStack): ProcessHandle {
  if (processes.postgres === undefined) throw new Error('PostgreSQL does not run')
  return processes.postgres
}

const portOf = ({ databaseUrl }: LocalStack): number => Number(new URL(databaseUrl).port)
