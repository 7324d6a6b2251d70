import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Endpoints } from '../lib/endpoints.ts'
import type { ProcessHandle } from '../lib/managed-process.ts'
import { freePort } from '../lib/ports.ts'
import { openProcessGroup } from '../lib/process-group.ts'
import { settleAll } from '../lib/settle-all.ts'
import type { Component, ComponentName, ComponentOptions } from './component.ts'
import { requireJava } from './java.ts'
import { startKafka } from './kafka.ts'
import { startPostgres } from './postgres.ts'
import { postgresIdentity, postgresPlace } from './postgres-home.ts'
import { startRedis } from './redis.ts'
import { startRegistry } from './registry.ts'

export type LocalStackOptions = {
  /** State, logs and pids; one running stack per directory. */
  dir: string
  ports?: Partial<Record<ComponentName, number>>
  /** Which components to start; all of them by default. */
  only?: readonly ComponentName[]
  /** Start a component again when it dies by itself. Off for tests, which kill on purpose. */
  keepAlive?: boolean
  log?: (line: string) => void
}

/** The endpoint of a component that was not asked for is an empty string. */
export type LocalStack = Endpoints & {
  processes: Partial<Record<ComponentName, ProcessHandle>>
  stop(): Promise<void>
}

const starters: Record<ComponentName, (options: ComponentOptions) => Promise<Component>> = {
  kafka: startKafka,
  registry: startRegistry,
  postgres: startPostgres,
  redis: startRedis,
}

const allComponents = Object.keys(starters) as ComponentName[]

/** Kafka, schema registry, PostgreSQL and Redis as child processes, all ready when it resolves. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { only = allComponents, ports = {}, keepAlive = false, log = () => {} } = options
  const dir = resolve(options.dir)
  if (only.includes('kafka') || only.includes('registry')) await requireJava()
  await mkdir(dir, { recursive: true })
  const group = await openProcessGroup(dir)
  const started = new Map<ComponentName, Component>()
  const stop = async () => {
    await Promise.all(Array.from(started.values(), ({ process }) => process.stop()))
    await group.close()
  }
  const start = async (name: ComponentName) => {
    const startedAt = performance.now()
    const port = ports[name] ?? (await freePort())
    const owner = { group, log }
    started.set(name, await starters[name]({ dir, port, owner, keepAlive }))
    log(`${name} ready on port ${port} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  }
  try {
    await settleAll(only.map(start))
  } catch (err) {
    await stop()
    throw err
  }
  const urlOf = (name: ComponentName) => started.get(name)?.url ?? ''
  return {
    databaseUrl: urlOf('postgres'),
    kafkaBrokers: urlOf('kafka'),
    schemaRegistryUrl: urlOf('registry'),
    redisUrl: urlOf('redis'),
    processes: Object.fromEntries(Array.from(started, ([name, part]) => [name, part.process])),
    stop,
  }
}

/** Removes what a stack that no longer runs has kept in `dir`, and elsewhere for it. */
export async function removeStackData(dir: string): Promise<void> {
  const path = resolve(dir)
  if (!existsSync(path)) return
  const place = await postgresPlace(path, postgresIdentity())
  await Promise.all([path, place].map((each) => rm(each, { recursive: true, force: true })))
}
