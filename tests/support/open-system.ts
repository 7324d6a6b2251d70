import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createKafka } from '@surehook/kafka/client/client'
import { kafkaConnection } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'
import { startStack } from '@surehook/scripts/containers/start-stack'
import type { Endpoints } from '@surehook/scripts/lib/endpoints'
import { freePort } from '@surehook/scripts/lib/ports'
import { type SecuredStack, startSecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { type Mode, modeOf, newSecrets } from '@surehook/scripts/system/service-catalog'
import {
  type System,
  type SystemOptions,
  startServices,
} from '@surehook/scripts/system/start-services'
import { readEnv } from '@surehook/service-kit/config/config'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { prepareTopics } from 'surehook/prepare/prepare-topics'
import * as z from 'zod'
import { testEndpoints } from './endpoints.ts'
import { stopSharedSystem } from './shared/ask-shared.ts'
import type { SystemAddress } from './system-address.ts'

export type TestSystem = System &
  SystemAddress &
  AsyncDisposable & {
    /** Restarts the system in this mode, at the same address and with the same data. */
    become(mode: Mode): Promise<void>
  }

export type TestSystemOptions = Pick<SystemOptions, 'env' | 'mode' | 'replicas'>

const runsDir = fileURLToPath(new URL('../../.local/test-systems/', import.meta.url))

// Constant, because the systems of a run share one stack and read secrets that earlier ones
// encrypted.
const keyEncryptionKey = Buffer.alloc(32, 'test').toString('base64')

/** Short delays, an allowed loopback receiver and few partitions. */
const testEnv = {
  WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
  WEBHOOK_CIRCUIT_COOLDOWN: '2s',
  SOURCE_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  KAFKA_PARTITIONS: '4',
  // On a busy machine a refused hash would hide the result under test.
  AUTH_HASH_MAX_WAIT: '20s',
}

/** Starts the services on the run's shared stack. Disposing stops them. */
export async function openSystem(options: TestSystemOptions = {}): Promise<TestSystem> {
  await stopSharedSystem()
  return openSystemOn(testEndpoints(), options)
}

export type StartStack = (dir: string) => Promise<Stack>

/** Like `openSystem`, on a separate stack whose parts may be killed: `system.stack.processes`. */
export async function openSystemWithStack(
  options: TestSystemOptions = {},
  start: StartStack = (dir) => startStack({ dir }),
): Promise<TestSystem & { readonly stack: Stack }> {
  const stack = await start(await newDir('stack'))
  try {
    const system = await openSystemOn(stack, options)
    const { stop } = system
    const stopAll = async () => {
      await stop()
      await stack.stop()
    }
    return Object.assign(system, { stack, stop: stopAll, [Symbol.asyncDispose]: stopAll })
  } catch (err) {
    await stack.stop()
    throw err
  }
}

/** Like `openSystem`, on a separate stack with TLS, users and access rules. */
export async function openSecuredSystem(
  options: TestSystemOptions = {},
): Promise<TestSystem & { readonly stack: SecuredStack }> {
  await using opening = new AsyncDisposableStack()
  const stack = opening.use(await startSecuredStack({ dir: await newDir('secured-stack') }))
  await prepareSecuredTopics(stack.variablesOf('operator'))
  const system = await openSystemOn(stack.endpoints, { ...options, variablesOf: stack.variablesOf })
  opening.defer(system.stop)
  const resources = opening.move()
  const stopAll = () => resources.disposeAsync()
  return Object.assign(system, { stack, stop: stopAll, [Symbol.asyncDispose]: stopAll })
}

async function prepareSecuredTopics(env: NodeJS.ProcessEnv): Promise<void> {
  const read = readEnv(z.object(kafkaEnv), { ...testEnv, ...env })
  const log = createLogger('tests', 'silent')
  const { partitions: mainPartitions, ...connection } = kafkaConnection(read, 'tests')
  await prepareTopics({
    kafka: createKafka({ ...connection, log }),
    delayNames: retryTopicNames(read),
    mainPartitions,
    replicationFactor: connection.replicationFactor,
    log,
    signal: AbortSignal.timeout(120_000),
  })
}

/** `stack-environment.mjs` sets the variable. Tests of faults act on separate processes. */
const levelMode = (): Mode =>
  modeOf({ SUREHOOK_MODE: process.env['TEST_SYSTEM_MODE'] || 'separate' })

type OpenOptions = TestSystemOptions & Pick<SystemOptions, 'variablesOf'>

/** Like `openSystem`, on the stack at `endpoints`. */
export async function openSystemOn(
  endpoints: Endpoints,
  options: OpenOptions,
): Promise<TestSystem> {
  const chosen = {
    ...options,
    dir: await newDir('services'),
    endpoints,
    secrets: { ...newSecrets(), keyEncryptionKey },
    mode: options.mode ?? levelMode(),
    env: { ...testEnv, ...options.env },
    port: await freePort(),
  }
  let system = await startServices(chosen)
  const stop = () => system.stop()
  return {
    ...system,
    endpoints,
    get services() {
      return system.services
    },
    async become(mode) {
      await system.stop()
      system = await startServices({ ...chosen, mode })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function newDir(kind: string): Promise<string> {
  const dir = `${runsDir}${kind}-${randomUUID().slice(0, 8)}`
  await mkdir(dir, { recursive: true })
  return dir
}
