import { randomUUID } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic, invalidTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { openEventCodec } from '@surehook/schemas/codec'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { hasToolchain, type Toolchain } from '@surehook/scripts/lib/toolchains'
import { verifySignature, verifyStandardWebhook } from '@surehook/scripts/receiver/verify-signature'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { endsOf, followTopics } from '@surehook/testing/follow-topics'
import { rawKafka } from '@surehook/testing/raw-kafka'
import kafkajs from 'kafkajs'
import { type Checkout, commandsOf, openCheckout } from '../support/commands/checkout.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

const silent = createLogger('test', 'silent')

/** The services of the guide, in its order. */
const samples: { name: string; needs?: Toolchain }[] = [
  { name: 'TypeScript' },
  { name: 'Python', needs: 'python' },
  { name: 'Go', needs: 'go' },
]
/** The commands of the guide, starting with those for all services. */
const [variables = '', ...commands] = await commandsOf({
  file: 'docs/guides/publishing.md',
  from: '### A service in TypeScript',
})
const services = samples
  .map((sample, index) => ({ ...sample, lines: commands[index]?.trim().split('\n') ?? [] }))
  .filter(({ needs }) => needs === undefined || hasToolchain(needs, process.env))
/**
 * Long enough to install the packages of the Python service and to build the one in Go for the
 * first time.
 */
const prepareMs = 300_000

let resources: AsyncDisposableStack
let world: SharedListeningWorld
let checkout: Checkout

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  world = resources.use(await openSharedListeningWorld())
  checkout = resources.use(await openCheckout())
  await checkout.writeEndpoints(world)
})
afterAll(async () => resources.disposeAsync())

describe.each(services)('the $name service of the guide', ({ lines }) => {
  const [issue = '', pay = ''] = lines.slice(-2)
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await world.tenant()
    const { code, out } = await checkout.run(lines.slice(0, -2).join('\n'))
    if (code !== 0) throw new Error(out)
  }, prepareMs)

  /**
   * Runs the service once on its database.
   * @returns the shell's exit code
   */
  async function billing(command: string, change = ''): Promise<number | null> {
    const own = `export PROJECT=${tenant.projectId}\n${change}`
    return (await checkout.run(`${variables}\n${own}\n${command}`)).code
  }

  it('has its changes delivered like those of the data API', async () => {
    const listener = await world.listen(tenant, { table: 'invoices' })
    expect(await billing(issue)).toBe(0)
    expect(await billing(pay)).toBe(0)
    const [issued, paid] = await listener.arrived(2)
    const [, id, amount] = /issue (\S+) (\S+)/.exec(issue) ?? []
    expect(issued).toMatchObject({
      event: 'INSERT',
      project_id: tenant.projectId,
      table: 'invoices',
      record: { id, amount, paidAt: null },
      changed_fields: [],
    })
    expect(paid).toMatchObject({
      event: 'UPDATE',
      record: { id, paidAt: expect.any(String) },
      changed_fields: ['paidAt'],
    })
  })

  it('loses no change while Kafka is down: the next run publishes them in order', async () => {
    const listener = await world.listen(tenant, { table: 'invoices' })
    const [service = ''] = pay.split(' pay ')
    const id = randomUUID()
    const away = 'export KAFKA_BROKERS=127.0.0.1:1'
    expect(await billing(`${service} issue ${id} 1`, away)).not.toBe(0)
    expect(await billing(`${service} pay ${id}`, away)).not.toBe(0)
    expect(await billing(service)).toBe(0)
    expect(await billing(service)).toBe(0)
    const events = (await listener.arrived(2)).map(({ event, record }) => [event, record['id']])
    expect(events).toEqual([
      ['INSERT', id],
      ['UPDATE', id],
    ])
  })
})

it('delivers what the guide publishes over HTTP, signed, each id once', async () => {
  const blocks = await commandsOf({
    file: 'docs/guides/publishing.md',
    from: '## Over HTTP',
    to: '## From TypeScript',
  })
  const tenant = await world.tenant({ environment: 'master' })
  const listener = await world.listen(tenant, { table: 'invoices' })
  const { projectId: PROJECT, token: TOKEN } = tenant
  const env = { BASE: world.system.baseUrl, PROJECT, TOKEN }
  const answers = []
  for (const block of [...blocks, ...blocks]) answers.push(await checkout.run(block, env))
  const ids = answers.map(({ out }) => (JSON.parse(out) as { ids: string[] }).ids)
  expect(ids.slice(blocks.length)).toEqual(ids.slice(0, blocks.length))

  // Behind the others: one that was published twice would arrive before it.
  const last = { table: 'invoices', event: 'DELETE', recordId: '42', record: { id: '42' } }
  expectStatus(202, await tenant.rest('POST _changes', last))

  const delivered = new Map((await listener.arrived(4)).map((payload) => [payload.id, payload]))
  const published = ids.slice(0, blocks.length).flat()
  expect(published.map((id) => delivered.get(id))).toMatchObject([
    { event: 'INSERT', table: 'invoices', record: { id: '42', paidAt: null } },
    { event: 'UPDATE', changed_fields: ['paidAt'] },
    { event: 'UPDATE', changed_fields: ['amount'], record: { amount: '0.00' } },
  ])
  expect(listener.receipts).toHaveLength(4)
  for (const receipt of listener.receipts) {
    expect(verifySignature(receipt, defaultSecret)).toBe(true)
    expect(verifyStandardWebhook(receipt, defaultSecret)).toBe(true)
  }
  for (const id of delivered.keys()) {
    const query = `eventId=${id}&timestamp=${new Date().toISOString()}`
    const explain = () => tenant.webhooks(`GET /${listener.id}/explain?${query}`)
    await eventually(explain, ({ text }) => text.includes('"outcome":"delivered"'))
  }
})

function changeOf({ projectId, environment }: Tenant): ChangeEvent {
  return {
    id: randomUUID(),
    timestamp: new Date().toISOString(),
    projectId,
    environment,
    table: 'invoices',
    recordId: '1',
    operation: 'INSERT',
    record: '{"id":"1"}',
    changedFields: [],
    source: 'test',
    requestId: null,
    traceparent: null,
  }
}

/**
 * Creates a tenant that listens to its invoices, and a producer that publishes them without the
 * package.
 */
async function openInvoices() {
  const tenant = await world.tenant()
  const listener = await world.listen(tenant, { table: 'invoices' })
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  const brokers = kafkaBrokers.split(',')
  const kafka = createKafka({ brokers, clientId: 'publishing-test', log: silent })
  return {
    tenant,
    listener,
    kafka,
    codec: await openEventCodec({ registryUrl: schemaRegistryUrl }),
  }
}

it('delivers a change whose publisher compressed it as kafkajs cannot', async () => {
  await using open = new AsyncDisposableStack()
  const { tenant, listener, kafka, codec } = await openInvoices()
  // Only in this process: the services can decompress only gzip.
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    compress: async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer),
    decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
  })
  const producer = rawKafka(kafka).producer({ allowAutoTopicCreation: false })
  await producer.connect()
  open.defer(() => producer.disconnect())

  const change = changeOf(tenant)
  const messages = [{ key: changeKey(change), value: codec.change.encode(change) }]
  const compression = kafkajs.CompressionTypes.ZSTD
  await producer.send({ topic: changesTopic, messages, compression })

  expect(await listener.arrived(1)).toMatchObject([{ id: change.id }])
})

it('refuses malformed events with the reason, and delivers those behind them', async () => {
  await using open = new AsyncDisposableStack()
  const { tenant, listener, kafka, codec } = await openInvoices()
  const producer = open.use(await openProducer(kafka, { log: silent }))

  const refused: { key: string; reason: string }[] = []
  const consumer = open.use(
    followTopics({
      kafka,
      topics: [invalidTopic(changesTopic)],
      after: await endsOf(kafka, [invalidTopic(changesTopic)]),
      log: silent,
      take: async ({ value }) => {
        const { key, reason } = await codec.invalid.decode(value ?? Buffer.alloc(0))
        refused.push({ key: String(key), reason })
      },
    }),
  )
  await consumer.ready

  const change = changeOf(tenant)
  const key = changeKey(change)
  const good = codec.change.encode(change)
  const values = [
    Buffer.from('not Avro'),
    Buffer.concat([Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]), good.subarray(5)]),
    good.subarray(0, -3),
    codec.change.encode({ ...change, record: '[1]' }),
    codec.change.encode({ ...change, id: '1' }),
    good,
  ]
  await producer.send(values.map((value) => ({ topic: changesTopic, key, value })))

  const [delivered] = await listener.arrived(1)
  expect(delivered).toMatchObject({ id: change.id, record: { id: '1' } })
  const mine = async () => refused.filter((one) => one.key === key)
  const reasons = (await eventually(mine, (all) => all.length === 5)).map(({ reason }) => reason)
  for (const reason of reasons) expect(reason).not.toBe('')
  expect(reasons.slice(-2)).toEqual(['record: not the text of a JSON object', 'id: not a UUID'])
  expect(listener.receipts).toHaveLength(1)
})
