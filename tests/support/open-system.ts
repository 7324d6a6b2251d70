import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Endpoints } from '@surehook/scripts/lib/endpoints'
import { type LocalStack, startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { newSecrets } from '@surehook/scripts/system/service-catalog'
import {
  type System,
  type SystemOptions,
  startServices,
} from '@surehook/scripts/system/start-services'
import { testEndpoints } from './endpoints.ts'

export type TestSystem = System & AsyncDisposable & { readonly endpoints: Endpoints }

export type TestSystemOptions = Pick<SystemOptions, 'env' | 'replicas'>

const runsDir = fileURLToPath(new URL('../../.local/test-systems/', import.meta.url))

// Systems of one run follow each other on one stack, and read what the one before has sealed.
const keyEncryptionKey = Buffer.alloc(32, 'test').toString('base64')

/** Delays short enough to wait for, with the loopback receiver allowed and few partitions. */
const testEnv = {
  WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
  WEBHOOK_CIRCUIT_COOLDOWN: '2s',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  KAFKA_PARTITIONS: '4',
  // On a busy machine a refused hash would stand for what is tested.
  AUTH_HASH_MAX_WAIT: '20s',
}

/** The six services as processes on the run's shared stack; dispose to stop them. */
export async function openSystem(options: TestSystemOptions = {}): Promise<TestSystem> {
  return open(testEndpoints(), options)
}

/** As `openSystem`, on a stack of its own whose parts may be killed: `system.stack.processes`. */
export async function openSystemWithStack(
  options: TestSystemOptions = {},
): Promise<TestSystem & { readonly stack: LocalStack }> {
  const stack = await startLocalStack({ dir: await newDir('stack') })
  try {
    const system = await open(stack, options)
    const stopAll = async () => {
      await system.stop()
      await stack.stop()
    }
    return { ...system, stack, stop: stopAll, [Symbol.asyncDispose]: stopAll }
  } catch (err) {
    await stack.stop()
    throw err
  }
}

async function open(endpoints: Endpoints, options: TestSystemOptions): Promise<TestSystem> {
  const system = await startServices({
    ...options,
    dir: await newDir('services'),
    endpoints,
    secrets: { ...newSecrets(), keyEncryptionKey },
    env: { ...testEnv, ...options.env },
  })
  return { ...system, endpoints, [Symbol.asyncDispose]: () => system.stop() }
}

async function newDir(kind: string): Promise<string> {
  const dir = `${runsDir}${kind}-${randomUUID().slice(0, 8)}`
  await mkdir(dir, { recursive: true })
  return dir
}
