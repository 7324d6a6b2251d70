import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoints } from '../lib/endpoints.ts'
import { startLocalStack } from '../local-stack/local-stack.ts'
import type { Stack, StackOptions } from '../local-stack/stack.ts'
import { chooseInfra } from './choose-infra.ts'
import { startContainerStack } from './container-stack.ts'

/** Starts Kafka, registry, PostgreSQL and Redis as processes or in containers, by `chooseInfra`. */
export async function startStack(
  options: StackOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Stack> {
  const infra = await chooseInfra(env)
  return infra === 'local' ? startLocalStack(options) : startContainerStack(options)
}

/** A stack of which a test may take parts away. Its data goes with it. */
export async function openOwnStack(
  options: Pick<StackOptions, 'only'> = {},
): Promise<Stack & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'own-stack-'))
  const removeData = () => rm(dir, { recursive: true, force: true })
  try {
    const stack = await startStack({ dir, ...options })
    const dispose = () => stack.stop().then(removeData)
    return { ...stack, [Symbol.asyncDispose]: dispose }
  } catch (err) {
    await removeData()
    throw err
  }
}

/**
 * Starts stacks in the folders 0, 1 and so on of `dir`, one after another: the first one fills the
 * caches that all use.
 */
export async function startStacks(
  count: number,
  { dir, env = process.env }: { dir: string; env?: NodeJS.ProcessEnv },
): Promise<{ endpoints: Endpoints[]; stop(): Promise<void> }> {
  const stacks: Stack[] = []
  const stop = async () => {
    await Promise.all(stacks.map((stack) => stack.stop()))
  }
  try {
    for (let n = 0; n < count; n++) stacks.push(await startStack({ dir: `${dir}/${n}` }, env))
  } catch (err) {
    await stop()
    throw err
  }
  const endpoints = stacks.map(({ databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl }) => ({
    ...{ databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl },
  }))
  return { endpoints, stop }
}
