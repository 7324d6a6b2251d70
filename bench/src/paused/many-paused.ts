import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { DeliveryJob, SubscriptionState } from '@surehook/contracts/events'
import { deliveryId, endpointId, newEventId } from '@surehook/contracts/ids'
import { deliveriesTopic, pausedTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { openEventCodec } from '@surehook/schemas/codec'
import { answersOk } from '@surehook/scripts/lib/http-probe'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { startReceiver } from '../receiver/receiver.ts'
import { lossRows, printRows } from '../report/report.ts'

/**
 * Measures paused deliveries of one endpoint on a separate stack: memory, the start of other
 * deliveries beside them, and the drain.
 */
const { values } = parseArgs({
  options: {
    paused: { type: 'string', default: '3000000' },
    /** How long the drain is observed, in seconds. */
    seconds: { type: 'string', default: '120' },
  },
})
const paused = Number(values.paused)
const seconds = Number(values.seconds)
const log = createLogger('bench', 'silent')
const projectId = 'bench'
const environment = 'master'
const key = randomBytes(32)
const batch = 5_000
const note = 'n'.repeat(300)

await using cleanup = new AsyncDisposableStack()
const dir = cleanup.adopt(await mkdtemp(join(tmpdir(), 'many-paused-')), (path) =>
  rm(path, { recursive: true }),
)
const certificates = await createCertificates()
const files = { key: join(dir, 'key.pem'), cert: join(dir, 'cert.pem'), ca: join(dir, 'ca.pem') }
for (const name of ['key', 'cert', 'ca'] as const) await writeFile(files[name], certificates[name])
const receiver = cleanup.use(await startReceiver(files))
const stack = await startLocalStack({
  dir: join(dir, 'stack'),
  only: ['kafka', 'registry', 'redis'],
})
cleanup.defer(() => stack.stop())
const kafka = createKafka({ brokers: stack.kafkaBrokers.split(','), clientId: 'bench', log })
const codec = await openEventCodec({ registryUrl: stack.schemaRegistryUrl })
const box = createSecretBox(key)

await (await startDispatcher()).stop()
const producer = cleanup.use(await openProducer(kafka, { log }))
const waiting = newSubscription(receiver.url('/waiting'), false)
const other = newSubscription(receiver.url('/other'), true)
await tell(waiting)
await tell(other)
const produced = performance.now()
for (let done = 0; done < paused; done += batch) {
  const count = Math.min(batch, paused - done)
  await producer.send(
    Array.from({ length: count }, (_, n) => jobRecord(pausedTopic, waiting, done + n)),
  )
}
const producing = seconds1(performance.now() - produced)

const title = `${paused.toLocaleString('en')} paused deliveries of one endpoint, one partition`
printRows(title, [{ measure: 'written to the paused topic in', value: `${producing} s` }])
const cold = await lookAtStart('no note of an earlier owner')
await cold.dispatcher.stop()
const warm = await lookAtStart('with the note of the owner before')
const draining = await drain(warm.dispatcher.pid)
await warm.dispatcher.stop()
printRows('the drain', draining)

/**
 * Measures the time until another endpoint of the partition gets a delivery after a start, and the
 * memory while everything is read.
 */
async function lookAtStart(how: string) {
  await receiver.reset()
  await producer.send([jobRecord(deliveriesTopic, other, -1)])
  const startedAt = performance.now()
  const dispatcher = await startDispatcher()
  await receiver.waitFor(1, 600_000)
  const firstMs = performance.now() - startedAt
  const memory: number[] = []
  let read = 0
  const isRead = async () => {
    memory.push(await rssOf(dispatcher.pid))
    const before = read
    read = await metric(dispatcher.metricsUrl, 'process_cpu_seconds_total')
    return memory.length >= 30 && read - before < 0.2
  }
  await waitUntil(isRead, { what: 'all read again', timeoutMs: 900_000, everyMs: 1_000 })
  const rows = [
    { measure: 'start to the first delivery of another endpoint', value: `${seconds1(firstMs)} s` },
    { measure: 'all is read again in', value: `at most ${memory.length} s` },
    { measure: 'MiB meanwhile, every 5 s', value: everyNth(memory, 5) },
  ]
  printRows(how, rows)
  return { dispatcher }
}

async function drain(pid: number) {
  await receiver.reset()
  await tell({ ...waiting, active: true })
  const rates: number[] = []
  const memory: number[] = []
  let before = 0
  let repetitions = 0
  for (let at = 0; at < seconds; at += 10) {
    await wait(10_000)
    const { unique, repeated } = await receiver.report()
    repetitions = repeated
    rates.push((unique - before) / 10)
    before = unique
    memory.push(await rssOf(pid))
  }
  return [
    {
      measure: 'drain, per second, every 10 s',
      value: rates.map((one) => one.toFixed(0)).join(', '),
    },
    { measure: 'MiB meanwhile', value: memory.map((one) => one.toFixed(0)).join(', ') },
    // The drain is observed only for a while, so deliveries that are still paused are not missing.
    ...lossRows({ repeated: repetitions, missing: 0 }),
  ]
}

async function startDispatcher() {
  const port = await freePort()
  const env = {
    ...process.env,
    INTERNAL_PORT: String(port),
    KAFKA_BROKERS: stack.kafkaBrokers,
    KAFKA_PARTITIONS: '1',
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    REDIS_URL: stack.redisUrl,
    KEY_ENCRYPTION_KEY: key.toString('base64'),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_EXTRA_CA_FILE: files.ca,
    LOG_LEVEL: 'warn',
  }
  const entry = join(repoRoot, 'services/webhook-dispatcher/dist/main.js')
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  cleanup.defer(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await waitUntil(() => answersOk(`${url}/healthz`), { what: 'a dispatcher', timeoutMs: 30_000 })
  return {
    pid: child.pid ?? 0,
    metricsUrl: `${url}/metrics`,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(url)).text()
  const [, value = '0'] = text.match(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm')) ?? []
  return Number(value)
}

async function rssOf(pid: number): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)])
  const [text] = (await once(ps.stdout, 'data')) as [Buffer]
  return Number(String(text)) / 1024
}

function newSubscription(url: string, active: boolean): SubscriptionState {
  const id = randomUUID()
  const now = new Date().toISOString()
  return {
    ...{ id, projectId, environment, url, active, table: 'orders', events: ['INSERT'] },
    ...{ filter: null, select: null, policy: null, createdAt: now, updatedAt: now },
    cancellations: [],
    name: null,
    secrets: [{ ciphertext: box.seal('bench-secret', id), validUntil: null }],
  }
}

function tell(state: SubscriptionState): Promise<void> {
  const value = codec.subscription.encode(state)
  return producer.send([{ topic: subscriptionsTopic, key: state.id, value }])
}

function jobRecord(topic: string, subscription: SubscriptionState, arrival: number) {
  const { id, url, table } = subscription
  const eventId = newEventId()
  const webhookId = deliveryId(eventId, id)
  const job: DeliveryJob = {
    ...{ deliveryId: webhookId, webhookId, eventId, subscriptionId: id, projectId, environment },
    ...{ table, operation: 'INSERT', url, createdAt: Date.now(), attempt: 1, dueAt: 0, arrival },
    ...{ step: arrival < 0 ? 0 : 1, redeliveryOf: null, traceparent: null },
    ...{ notBefore: 0, waitMs: 0, recordId: null },
    body: Buffer.from(JSON.stringify({ id: eventId, note })),
  }
  return { topic, key: endpointId(projectId, environment, url), value: codec.job.encode(job) }
}

function seconds1(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
function everyNth(all: readonly number[], nth: number): string {
  return all
    .filter((_, at) => at % nth === 0)
    .map((one) => one.toFixed(0))
    .join(', ')
}
