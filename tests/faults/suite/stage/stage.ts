import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ChangePublisher, openChangePublisher } from '@surehook/publisher'
import type { Platform } from '@surehook/scripts/client/call'
import { type LocalStack, startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver, type Receiver } from '@surehook/scripts/receiver/receiver'
import {
  newSecrets,
  type Secrets,
  type ServiceName,
} from '@surehook/scripts/system/service-catalog'
import {
  type System,
  type SystemOptions,
  startServices,
} from '@surehook/scripts/system/start-services'
import {
  type DeliveryAudit,
  openDeliveryAudit,
} from '../../../support/deliveries/delivery-audit.ts'
import { type HealthyBalancer, openHealthyBalancer } from './healthy-balancer.ts'
import { type Links, openLinks, publisherReplica } from './links.ts'
import { prepareSlowDisk, type SlowDisk } from './slow-disk.ts'

/**
 * The whole system with two replicas of each service. The suite controls everything between its
 * parts.
 */
export type Stage = AsyncDisposable & {
  readonly stack: LocalStack
  readonly secrets: Secrets
  /** The variables of all services. */
  readonly env: Readonly<Record<string, string>>
  readonly system: System
  readonly links: Links
  /** The gateways, behind a balancer. */
  readonly platform: Platform
  readonly receiver: Receiver
  readonly audit: DeliveryAudit
  readonly publisher: ChangePublisher
  /** `null` where it is not available. */
  readonly slowDisk: SlowDisk | null
  /** The balancers before the replicas of each service that takes requests. */
  readonly balancers: ReadonlyMap<ServiceName, HealthyBalancer>
  /** Sets the clock of a replica; 0 sets it right. */
  setClock(replica: string, aheadMs: number): Promise<void>
}

/** The third replica of a scalable service runs only during scaling. */
const scaled: Record<ServiceName, number> = {
  'auth-service': 2,
  'data-api': 2,
  'postgres-source': 2,
  'webhook-api': 2,
  'webhook-matcher': 3,
  'webhook-dispatcher': 3,
  gateway: 2,
}

const balanced = {
  'auth-service': 'AUTH_SERVICE_URL',
  'data-api': 'DATA_API_URL',
  'postgres-source': 'POSTGRES_SOURCE_URL',
  'webhook-api': 'WEBHOOK_API_URL',
  gateway: 'PUBLIC_URL',
} as const

const clockModule = fileURLToPath(new URL('./jumping-clock.mjs', import.meta.url))

const fixedEnv = {
  // Generous: on a busy machine an attempt that ends after 5 s would repeat a delivery without a
  // fault.
  WEBHOOK_TIMEOUT: '30s',
  WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
  WEBHOOK_CIRCUIT_COOLDOWN: '2s',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  KAFKA_PARTITIONS: '4',
  NODE_OPTIONS: `--import=${clockModule}`,
}

export type StageOptions = {
  replicas?: Record<ServiceName, number>
  versions?: SystemOptions['versions']
  postgresSettings?: Readonly<Record<string, string>>
}

/** Leaves logs and data in `dir`. */
export async function openStage(dir: string, options: StageOptions = {}): Promise<Stage> {
  const { replicas = scaled, versions } = options
  await using opening = new AsyncDisposableStack()
  const controls = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-faults-')), (path) =>
    rm(path, { recursive: true }),
  )
  // PostgreSQL may run as another user, who reads the file that controls the slow disk.
  await chmod(controls, 0o755)
  const slowDisk = prepareSlowDisk(controls)
  const links = opening.use(await openLinks(replicas))
  const stack = await startLocalStack({
    dir: join(dir, 'stack'),
    ports: links.ports,
    kafkaListeners: links.kafkaListeners,
    postgresSettings: options.postgresSettings,
    env: slowDisk === null ? {} : slowEnv(slowDisk),
  })
  opening.defer(() => stack.stop())
  const certificates = await createCertificates()
  const receiver = opening.use(await openReceiver(certificates))
  const caFile = join(controls, 'ca.pem')
  await writeFile(caFile, certificates.ca)
  const clockDir = join(controls, 'clocks')
  await mkdir(clockDir)

  const balancers = new Map<ServiceName, HealthyBalancer>()
  for (const service of Object.keys(balanced) as (keyof typeof balanced)[]) {
    balancers.set(service, opening.use(await openHealthyBalancer()))
  }
  const urls = Object.fromEntries(
    Object.entries(balanced).map(([service, name]) => [
      name,
      balancers.get(service as ServiceName)?.url,
    ]),
  )
  const secrets = newSecrets()
  const env = { ...fixedEnv, ...urls, WEBHOOK_EXTRA_CA_FILE: caFile, CLOCK_DIR: clockDir }
  const system = await startServices({
    dir: join(dir, 'services'),
    endpoints: stack,
    secrets,
    replicas,
    env,
    ways: (replica) => links.waysOf(replica),
    ...(versions && { versions }),
  })
  opening.defer(() => system.stop())
  for (const [service, balancer] of balancers) balancer.watch(system.services[service])
  if (options.replicas === undefined) await stopThirds(system)

  const publisher = opening.use(
    await openChangePublisher({
      brokers: [`127.0.0.1:${links.waysOf(publisherReplica).kafka}`],
      schemaRegistryUrl: stack.schemaRegistryUrl,
      source: 'faults',
    }),
  )
  const audit = opening.use(await openDeliveryAudit(stack))
  const platform = { baseUrl: balancers.get('gateway')?.url ?? '', adminToken: system.adminToken }
  const resources = opening.move()
  return {
    stack,
    secrets,
    env,
    system,
    links,
    platform,
    receiver,
    audit,
    publisher,
    slowDisk,
    balancers,
    setClock: (replica, aheadMs) => writeFile(join(clockDir, replica), String(aheadMs)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const slowEnv = (slowDisk: SlowDisk) =>
  Object.fromEntries(['kafka', 'postgres', 'registry'].map((name) => [name, slowDisk.env(name)]))

async function stopThirds({ services }: System): Promise<void> {
  await Promise.all(Object.values(services).map(([, , third]) => third?.stop()))
}
