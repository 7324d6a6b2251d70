import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { localDir, repoRoot } from '@surehook/scripts/lib/paths'
import { startSecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import { type System, startServices } from '@surehook/scripts/system/start-services'
import { prepareTopics } from 'surehook/prepare/prepare-topics'
import { type Balancer, openBalancer } from '../../support/balancer.ts'
import { eventually } from '../../support/world.ts'
import { changeServers, endOldSecrets, operatorKafka } from './change-servers.ts'
import { openLoad } from './load.ts'
import { newSecrets, oldSecrets, type Phase, variablesIn } from './secret-phases.ts'

/**
 * `npm run rehearse -- rotation`: replaces every secret of a running, secured installation with two
 * replicas each. Fails unless every request succeeded and every change was delivered.
 */
const startedAt = performance.now()
const say = (line: string) =>
  process.stdout.write(
    `${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}\n`,
  )

await using opening = new AsyncDisposableStack()
await mkdir(`${localDir}/test-systems`, { recursive: true })
const dir = opening.adopt(await mkdtemp(`${localDir}/test-systems/rotation-`), (path) =>
  rm(path, { recursive: true, force: true }),
)
const stack = opening.use(await startSecuredStack({ dir: `${dir}/stack` }))
const before = oldSecrets(stack)
const after = newSecrets()
let phase: Phase = { shown: before, other: null, connections: before }

const certificates = await createCertificates()
const receiver = opening.use(await openReceiver(certificates))
await writeFile(`${dir}/ca.pem`, certificates.ca)
await prepareTopics(operatorKafka(stack))
const balanced: readonly ServiceName[] = [
  'auth-service',
  'data-api',
  'postgres-source',
  'webhook-api',
]
const balancers = new Map<ServiceName, Balancer>()
for (const service of balanced) balancers.set(service, opening.use(await openBalancer()))
const urlOf = (service: ServiceName) => balancers.get(service)?.url
const system = opening.adopt(
  await startServices({
    dir: `${dir}/services`,
    endpoints: stack.endpoints,
    secrets: { ...before, keyEncryptionKey: before.encryptionKey },
    replicas: Object.fromEntries(
      serviceNames.map((service) => [service, service === 'gateway' ? 1 : 2]),
    ),
    env: {
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      WEBHOOK_EXTRA_CA_FILE: `${dir}/ca.pem`,
      KAFKA_PARTITIONS: '4',
      AUTH_HASH_MAX_WAIT: '20s',
      TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
      AUTH_SERVICE_URL: urlOf('auth-service'),
      DATA_API_URL: urlOf('data-api'),
      POSTGRES_SOURCE_URL: urlOf('postgres-source'),
      WEBHOOK_API_URL: urlOf('webhook-api'),
    },
    variablesOf: (service) => variablesIn(phase, service, stack),
  }),
  (open) => open.stop(),
)
balanceAll(system)
say('started, two replicas of each service')

const tenant = await createTenant(system)
await tenant.putTable('orders')
const { id } = await tenant.subscribe(receiver.url('/hook'))
const settings = { auth: { emailVerification: false, encryptTokens: true } }
expectStatus(200, await admin(system, `PUT /${tenant.projectId}/environments/master`, settings))
let adminToken = before.adminToken
const { baseUrl } = system
const load = await openLoad({ baseUrl, tenant, adminToken: () => adminToken })
say('load runs')

await changeServers(stack, { before, after })
say('Kafka, PostgreSQL and Redis take the new passwords beside the old ones')
await roll({ shown: before, other: after, connections: before })
say('1. every service knows the new secrets')
await roll({ shown: after, other: before, connections: after })
adminToken = after.adminToken
say('2. every service uses the new secrets')
say(await rotateKey())
await roll({ shown: after, other: null, connections: after })
await endOldSecrets(stack, { before, after })
say('3. nobody takes the old secrets')
await load.stop()
const written = load.counts['write'] ?? 0
await eventually(
  async () => new Set(receiver.receipts('/hook').map(({ headers }) => headers['webhook-id'])).size,
  (delivered) => delivered === written,
  60_000,
)
say(
  `no request failed: ${JSON.stringify(load.counts)}; all ${written} changes were delivered to ${id}`,
)

function balanceAll(of: System): void {
  for (const [service, balancer] of balancers) {
    balancer.send(of.services[service].map(({ apiUrl }) => apiUrl ?? ''))
  }
}

/** Restarts one replica after another, each taken out of its balancer first. */
async function roll(next: Phase): Promise<void> {
  phase = next
  for (const service of serviceNames) {
    if (service === 'gateway') continue
    const replicas = system.services[service]
    for (const replica of replicas) {
      const others = replicas.filter((other) => other !== replica)
      balancers.get(service)?.send(others.map(({ apiUrl }) => apiUrl ?? ''))
      await replica.restart()
      balanceAll(system)
    }
  }
}

async function rotateKey(): Promise<string> {
  const env = { ...process.env, SUREHOOK_URL: baseUrl, SUREHOOK_ADMIN_TOKEN: after.adminToken }
  const command = [`${repoRoot}/packages/cli/bin/surehook.mjs`, 'rotate-key']
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  return stdout.trim()
}
