import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../lib/ports.ts'
import { settleAll } from '../lib/settle-all.ts'
import type { ComponentName } from '../local-stack/component.ts'
import { type Stack, type StackOptions, stackOf } from '../local-stack/stack.ts'
import { ContainerProcess } from './container-process.ts'
import type { Address, ContainerSpec, SpecOf } from './container-spec.ts'
import { type Docker, removeContainersOf, requireDocker, stackLabel } from './docker.ts'
import { images } from './images.ts'
import { kafkaContainer } from './kafka.ts'
import { postgresContainer } from './postgres.ts'
import { redisContainer } from './redis.ts'
import { registryContainer } from './registry.ts'

const specs: Readonly<Record<ComponentName, SpecOf>> = {
  kafka: kafkaContainer,
  registry: registryContainer,
  postgres: postgresContainer,
  redis: redisContainer,
}

const allComponents = Object.keys(specs) as ComponentName[]

type Part = { url: string; process: ContainerProcess }

/** Like `startLocalStack`, in containers. They start empty and leave only logs in `dir`. */
export async function startContainerStack(options: StackOptions): Promise<Stack> {
  const { only = allComponents, log = () => {} } = options
  const dir = resolve(options.dir)
  const docker = await requireDocker()
  await mkdir(dir, { recursive: true })
  const stackId = randomUUID()
  const reaper = watchOver(stackId)
  const started = new Map<ComponentName, Part>()
  const stop = async () => {
    await Promise.all(
      Array.from(started, ([name, { process }]) => process.remove(`${dir}/${name}.log`)),
    )
    await removeContainersOf(stackId, docker)
    reaper.end()
  }
  const start = async (name: ComponentName) => {
    const part = await startPart(name, { docker, stackId })
    started.set(name, part)
    await part.process.untilReady()
    log(`${name} ready in a container`)
  }
  try {
    await settleAll(only.map(start))
  } catch (err) {
    await stop()
    throw err
  }
  return stackOf(started, stop)
}

type StackScope = { docker: Docker; stackId: string }

/** Retries, because another process may take a port after it was found free. */
async function startPart(name: ComponentName, place: StackScope): Promise<Part> {
  for (let triesLeft = 3; ; triesLeft--) {
    // Fixed, because Docker would assign another port at a restart.
    const at: Address = { host: place.docker.host, port: await freePort() }
    const spec = await specs[name](at)
    try {
      const process = await startContainer(name, { ...place, at, spec })
      return { url: spec.url, process }
    } catch (err) {
      const taken = /port is already allocated|address already in use/.test((err as Error).message)
      if (!taken || triesLeft === 0) throw err
    }
  }
}

async function startContainer(
  name: ComponentName,
  { docker, stackId, at, spec }: StackScope & { at: Address; spec: ContainerSpec },
): Promise<ContainerProcess> {
  const { GenericContainer } = await import('testcontainers')
  const container = new GenericContainer(images[name])
    .withExposedPorts({ container: spec.port, host: at.port })
    .withEnvironment(spec.env ?? {})
    .withLabels({ [stackLabel]: stackId })
    .withWaitStrategy(new WaitedForElsewhere())
  if (spec.command !== undefined) container.withCommand(spec.command)
  const { isReady, readyTimeoutMs } = spec
  return new ContainerProcess({
    name,
    container: docker.client.container.getById((await container.start()).getId()),
    isReady: () => isReady(at),
    readyTimeoutMs,
  })
}

/**
 * Disables testcontainers' own wait, because readiness is checked in the same way after every
 * start.
 */
class WaitedForElsewhere {
  async waitUntilReady(): Promise<void> {}
  withStartupTimeout(): this {
    return this
  }
  isStartupTimeoutSet(): boolean {
    return true
  }
  getStartupTimeout(): number {
    return 0
  }
}

type Reaper = { end(): void }

/** Starts a replacement for testcontainers' reaper, which is a container and may be disabled. */
function watchOver(stackId: string): Reaper {
  if (process.env['TESTCONTAINERS_RYUK_DISABLED'] !== 'true') return { end: () => {} }
  const file = fileURLToPath(new URL(`./reaper${import.meta.url.slice(-3)}`, import.meta.url))
  const args = ['--conditions=source', file, stackId]
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  return { end: () => void child.kill('SIGKILL') }
}
