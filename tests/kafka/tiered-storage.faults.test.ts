import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { changesTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { openProducer } from '@surehook/kafka/producer/producer'
import { LogFetcher } from '@surehook/kafka/readers/log-fetcher'
import { openLogReader } from '@surehook/kafka/readers/log-reader'
import { openRecordReader } from '@surehook/kafka/readers/record-reader'
import { openSpanReader } from '@surehook/kafka/readers/span-reader'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { fetchWithMaven } from '@surehook/scripts/local-stack/maven'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'

const plugin = 'org.apache.kafka.server.log.remote.storage.LocalTieredStorage'
const count = 4_000
const value = Buffer.alloc(1_000, 'x')
/** The broker's shortest wait for the store: it answers without records before the store does. */
const impatient = { 'remote.fetch.max.wait.ms': '1' }

let dir: string
let stack: Stack
let kafka: ReturnType<typeof testKafka>
let topic: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tiered-storage-'))
  const jars = await fetchWithMaven({ name: 'tiered-storage', goal: 'copy', log: () => undefined })
  stack = await startLocalStack({
    dir,
    only: ['kafka'],
    kafkaSettings: {
      'remote.log.storage.system.enable': 'true',
      'remote.log.storage.manager.class.name': plugin,
      'remote.log.storage.manager.class.path': `${jars}/*`,
      'rsm.config.dir': `${dir}/store`,
      'remote.log.metadata.manager.listener.name': 'PLAINTEXT',
      'rlmm.config.remote.log.metadata.topic.replication.factor': '1',
      'rlmm.config.remote.log.metadata.topic.num.partitions': '1',
      'remote.log.manager.task.interval.ms': '200',
      'log.retention.check.interval.ms': '200',
      'log.initial.task.delay.ms': '200',
      ...impatient,
    },
  })
  kafka = testKafka(stack.kafkaBrokers)
  topic = await makeTopic(kafka, {
    name: changesTopic,
    config: {
      'remote.storage.enable': 'true',
      'segment.bytes': '1048576',
      'local.retention.ms': '1',
      'retention.ms': '-1',
    },
  })
  await using producer = await openProducer(kafka, { log })
  for (let n = 0; n < count; n += 100) {
    const records = Array.from({ length: 100 }, (_, i) => ({ topic, key: `${n + i}`, value }))
    await producer.send(records)
  }
  const localSegments = async () => {
    const files = await readdir(`${dir}/kafka/${topic}-0`)
    return files.filter((file) => file.endsWith('.log'))
  }
  // Only the open segment is left at the broker.
  await until(async () => (await localSegments()).length === 1, { timeoutMs: 120_000 })
})
afterAll(async () => {
  await stack?.stop()
  await rm(dir, { recursive: true, force: true })
})

const all = Array.from({ length: count }, (_, n) => `${n}`)
const keysOf = (messages: readonly KafkaMessage[]) => messages.map(({ key }) => `${key}`)

describe('records in an object store that answers late', () => {
  it('is what the broker has here: it answers without records, and without an error', async () => {
    await using fetcher = new LogFetcher({ kafka, topic, log })
    const position = { partition: 0, offset: 0 }
    await until(async () => {
      const [fetched] = await fetcher.fetchAll([position], { waitMs: 1, bytes: 1_048_576 })
      return fetched?.messages.length === 0
    })
  })

  it('are all read by a stream', async () => {
    await using fetcher = new LogFetcher({ kafka, topic, log })
    const read: string[] = []
    let offset = 0
    await until(
      async () => {
        const positions = [{ partition: 0, offset }]
        for (const { messages, next } of await fetcher.fetchAll(positions, {
          waitMs: 50,
          bytes: 1_048_576,
        })) {
          read.push(...keysOf(messages))
          offset = next
        }
        return offset >= count
      },
      { timeoutMs: 60_000 },
    )
    expect(read).toEqual(all)
  })

  it('are all read by replays and previews', async () => {
    await using reader = openLogReader({ kafka, topic, clientId: 'test', log })
    const read: string[] = []
    for (let from = 0; from < count; ) {
      const { messages, next } = await reader.read({ partition: 0, from, to: count })
      read.push(...keysOf(messages))
      from = next
    }
    expect(read).toEqual(all)
  })

  it('are all read by a ledger and by a rebuild of the history', async () => {
    await using reader = openSpanReader({ kafka, topics: [topic], clientId: 'test', log })
    const read: string[] = []
    const signal = AbortSignal.timeout(120_000)
    const span = { topic, partition: 0, from: 0, to: count }
    await reader.read([span], (_, messages) => void read.push(...keysOf(messages)), signal)
    expect(read).toEqual(all)
  })

  it('are read one by one for redeliveries, or are unavailable for the moment', async () => {
    await using reader = openRecordReader({ kafka, topic, log })
    for (const offset of [0, 1_500, 3_000]) {
      await until(async () => {
        const found = await reader.readFrom({ partition: 0, offset }, 65_536).catch(refusalOf)
        if (found === 'SERVICE_UNAVAILABLE') return false
        expect(found[0]).toMatchObject({ key: Buffer.from(`${offset}`) })
        return true
      })
    }
  })
})

function refusalOf(err: unknown): 'SERVICE_UNAVAILABLE' {
  expect(err).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  return 'SERVICE_UNAVAILABLE'
}
