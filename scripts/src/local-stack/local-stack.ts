import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { freePort } from '../lib/ports.ts'
import { openProcessGroup } from '../lib/processes/process-group.ts'
import { settleAll } from '../lib/settle-all.ts'
import type { Component, ComponentName } from './component.ts'
import { requireJava } from './java.ts'
import { type KafkaListener, type KafkaNode, type KafkaOptions, startKafka } from './kafka.ts'
import { startPostgres } from './postgres.ts'
import { postgresIdentity, postgresPlace } from './postgres-home.ts'
import { startRedis } from './redis.ts'
import { startRegistry } from './registry.ts'
import type { Credentials } from './secured/credentials.ts'
import { type Stack, type StackOptions, stackOf } from './stack.ts'

export type LocalStackOptions = StackOptions & {
  ports?: Partial<Record<ComponentName, number>>
  /** Restarts a component that ends by itself. Off for tests, which kill components on purpose. */
  keepAlive?: boolean
  /** Variables for a component in addition to those of this process. */
  env?: Partial<Record<ComponentName, NodeJS.ProcessEnv>>
  /** Settings of PostgreSQL in addition to the defaults here. */
  postgresSettings?: Readonly<Record<string, string>> | undefined
  /** Settings of the broker in addition to the defaults here. */
  kafkaSettings?: Readonly<Record<string, string>>
  /** Further listeners of the broker. */
  kafkaListeners?: readonly KafkaListener[]
  /** Set if the broker is one of several. */
  kafkaNode?: KafkaNode
  /** TLS and users for everything except the registry, which supports neither. */
  secured?: Credentials
}

export type LocalStack = Stack

type Starter = (options: KafkaOptions) => Promise<Component>

const starters: Record<ComponentName, Starter> = {
  kafka: startKafka,
  registry: startRegistry,
  postgres: startPostgres,
  redis: startRedis,
}

const allComponents = Object.keys(starters) as ComponentName[]

/**
 * Starts Kafka, schema registry, PostgreSQL and Redis as child processes. All are ready when it
 * resolves.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { only = allComponents, ports = {}, keepAlive = false, log = () => {} } = options
  const { env = {}, kafkaListeners = [], kafkaNode, secured } = options
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
    const port = ports[name] ?? (await freePort())
    const owner = { group, log }
    const settings = { kafka: options.kafkaSettings, postgres: options.postgresSettings }
    const common = { dir, port, owner, keepAlive, env: env[name], secured }
    const ofKafka = name === 'kafka' ? { kafkaListeners, kafkaNode } : {}
    const own = name === 'kafka' || name === 'postgres' ? { settings: settings[name] } : {}
    started.set(name, await starters[name]({ ...common, ...own, ...ofKafka }))
    log(`${name} ready on port ${port}`)
  }
  try {
    await settleAll(only.map(start))
  } catch (err) {
    await stop()
    throw err
  }
  return stackOf(started, stop)
}

/** Removes the data of a stopped stack in `dir`, and its data elsewhere. */
export async function removeStackData(dir: string): Promise<void> {
  const path = resolve(dir)
  if (!existsSync(path)) return
  const place = await postgresPlace(path, postgresIdentity())
  await Promise.all([path, place].map((each) => rm(each, { recursive: true, force: true })))
}
