import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { openProducer } from '@surehook/kafka/producer/producer'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { makeTopic, readUntil, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { emit } from '../src/emit/capture.ts'
import { createStateWriter } from '../src/emit/state-writer.ts'
import {
  type CaptureDatabase,
  createCaptureDatabase,
  relayOf,
  service,
} from './capture-database.ts'

const kafka = testKafka()
/** Seconds after which an earlier version gave up on a missing topic and put its changes aside. */
const longS = 31

type LogLines = { msg: string; topic?: string }[]

function recordingLog() {
  const lines: LogLines = []
  const write = (line: string) => void lines.push(JSON.parse(line) as LogLines[number])
  return { lines, log: createLogger('test', 'error', { write }) }
}

const capture = (db: CaptureDatabase, topic: string, body: string) =>
  emit(db.pool, { service, header: { topic, key: 'k' }, body })

describe('a topic that is missing', () => {
  it('keeps its changes waiting without limit, logs errors, and delays no other topic', async () => {
    await using db = await createCaptureDatabase()
    const there = await makeTopic(kafka)
    const missing = `missing-${randomUUID()}`
    const metrics = createMetrics('test')
    const { lines, log } = recordingLog()
    await using producer = await openProducer(kafka, { log, metrics })
    const toInvalid = () => ({ topic: there, key: null, value: Buffer.from('put aside') })
    await using relay = relayOf(db, producer, { metrics, log, toInvalid })
    await until(() => relay.role === 'leader')
    for (let n = 0; n < 20; n++) {
      await capture(db, missing, `${n}`)
      await capture(db, there, `${n}`)
    }
    const inOrder = Array.from({ length: 20 }, (_, n) => `${n}`)
    const others = await readUntil(kafka, there, (read) => read.length === 20)
    expect(others.map(({ value }) => `${value}`)).toEqual(inOrder)
    const oldestS = async () =>
      Number(
        /oldest_unacknowledged_seconds\{[^}]*\} (\S+)/.exec(await metrics.registry.metrics())?.[1],
      )
    await until(async () => (await oldestS()) > longS, { timeoutMs: 60_000 })
    expect(lines.filter(({ msg }) => msg === 'producer.topic.missing')).toMatchObject([
      { topic: missing },
    ])
    expect(await metrics.registry.metrics()).toMatch(
      new RegExp(`unavailable_partitions\\{[^}]*topic="${missing}"[^}]*\\} 1`),
    )
    expect([relay.healthy, producer.healthy]).toEqual([true, true])

    await makeTopic(kafka, { name: missing })
    const arrived = await readUntil(kafka, missing, (read) => read.length === 20)
    expect(arrived.map(({ value }) => `${value}`)).toEqual(inOrder)
    await capture(db, there, 'last')
    const all = await readUntil(kafka, there, (read) => String(read.at(-1)?.value) === 'last')
    expect(all.map(({ value }) => `${value}`)).toEqual([...inOrder, 'last'])
  })

  it('refuses a change of state with 503 and relays it once the topic exists', async () => {
    await using db = await createCaptureDatabase()
    const missing = `missing-${randomUUID()}`
    await db.pool.query('create table state (key text)')
    const { log } = recordingLog()
    await using producer = await openProducer(kafka, { log })
    await using relay = relayOf(db, producer)
    await until(() => relay.role === 'leader')
    const { slot, pool } = db
    const writer = createStateWriter({ pool, slot, service, producer, relay, timeoutMs: 2_000 })
    const written = writer.write(async (tx, emitState) => {
      await tx.query("insert into state values ('a')")
      await emitState({ topic: missing, key: 'a', state: { is: 'there' } })
    })
    await expect(written).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await makeTopic(kafka, { name: missing })
    const [state] = await readUntil(kafka, missing, (read) => read.length === 1)
    expect([`${state?.key}`, `${state?.value}`]).toEqual(['a', '{"is":"there"}'])
    await writer.relayed()
  })
})
