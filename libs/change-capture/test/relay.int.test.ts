import { describe, expect, it } from '@jest/globals'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { UnsendableError } from '@surehook/kafka/producer/unsendable-error'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { query } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { captureSql, emit } from '../src/emit/capture.ts'
import { parseLsn } from '../src/slot/lsn.ts'
import { waitUntilRelayed } from '../src/slot/wait-relayed.ts'
import {
  createCaptureDatabase,
  HeldProducer,
  patiently,
  relayOf,
  service,
  write,
} from './capture-database.ts'

describe('openRelay', () => {
  it('sends only committed messages, in commit order', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await write(db.pool, 'before the relay')
    await using _relay = relayOf(db, producer)

    const early = await db.pool.connect()
    await early.query('begin')
    await write(early, 'written first, committed last')
    await db.pool.query('begin; select 1; rollback')
    await emit(db.pool, { service: 'another', header: { topic: 't', key: 'k' }, body: 'not ours' })
    await db.pool.query(
      `with noise as (insert into noise select generate_series(1, 3) returning n)
       select ${captureSql(service, `json_build_object('topic', 't', 'key', n::text)`, `'row ' || n`)} from noise`,
    )
    await early.query(`commit`)
    early.release()
    const undone = await db.pool.connect()
    await undone.query('begin')
    await write(undone, 'undone')
    await undone.query('rollback')
    undone.release()
    const lsn = await write(db.pool, '')

    await waitUntilRelayed(db.pool, db.slot, lsn, patiently)
    expect(producer.sent.map(({ key, value }) => `${key}: ${value}`)).toEqual([
      'k: before the relay',
      '1: row 1',
      '2: row 2',
      '3: row 3',
      'k: written first, committed last',
      'k: null',
    ])
  })

  it('keeps the order of many writers', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 200; n++) await write(db.pool, `${writer}/${n}`)
    })
    await Promise.all(writers)
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'end'), patiently)
    expect(producer.sent).toHaveLength(1_601)
    for (let writer = 0; writer < 8; writer++) {
      const own = producer.values.filter((value) => value.startsWith(`${writer}/`))
      expect(own).toEqual(Array.from({ length: 200 }, (_, n) => `${writer}/${n}`))
    }
  })

  it('confirms WAL that only others wrote, but never past an unacknowledged message', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const confirmed = async () => parseLsn((await db.slotRow())?.confirmed ?? '0/0')
    const makeNoise = async () => {
      await db.pool.query('insert into noise select generate_series(1, 100)')
      const { rows } = await db.pool.query<{ lsn: string }>(
        'select pg_current_wal_flush_lsn()::text as lsn',
      )
      return parseLsn(rows[0]?.lsn ?? '0/0')
    }
    const noise = await makeNoise()
    await until(async () => (await confirmed()) >= noise)

    producer.hold()
    const held = parseLsn(await write(db.pool, 'held'))
    for (let n = 0; n < 20; n++) await makeNoise()
    expect(await confirmed()).toBeLessThan(held)
    producer.release()
    const end = await makeNoise()
    await until(async () => (await confirmed()) >= end)
    expect(producer.values).toEqual(['held'])
  })

  it('keeps messages in bounded memory while Kafka is unreachable, and sends them afterwards', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    const metrics = createMetrics('test')
    const lines: string[] = []
    const log = createLogger('test', 'error', { write: (line) => void lines.push(line) })
    let read = 0
    await using relay = relayOf(db, producer, {
      ...{ log, metrics },
      toRecord: ({ header, body }) => {
        read += 1
        return { topic: header.topic, key: header.key, value: Buffer.from(body) }
      },
    })
    await until(() => relay.role === 'leader')
    producer.hold()
    const text = 'x'.repeat(100_000)
    for (let n = 0; n < 600; n++) await write(db.pool, `${n} ${text}`)
    await until(() => read > 50)
    await until(async () => /relay_full\{[^}]*\} 1/.test(await metrics.registry.metrics()))
    expect(read).toBeLessThan(300)
    await until(() => lines.some((line) => line.includes('capture.relay.full')))
    producer.release()
    const lsn = await write(db.pool, 'end')
    await waitUntilRelayed(db.pool, db.slot, lsn, patiently)
    expect(producer.values.map((value) => Number.parseInt(value, 10)).slice(0, -1)).toEqual(
      Array.from({ length: 600 }, (_, n) => n),
    )
    await until(async () => /relay_full\{[^}]*\} 0/.test(await metrics.registry.metrics()))
  })

  it('continues while one partition accepts nothing, and confirms nothing after its records', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    producer.stuck = 'stuck'
    const metrics = createMetrics('test')
    const first = relayOf(db, producer, { metrics })
    await until(() => first.role === 'leader')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'before'), patiently)
    const stuck = parseLsn(await write(db.pool, 'stuck'))
    const others = Array.from({ length: 50 }, (_, n) => `${n}`)
    for (const other of others) await write(db.pool, other)
    await until(() => producer.sent.length === 51)
    expect(producer.values).toEqual(['before', ...others])
    expect(parseLsn((await db.slotRow())?.confirmed ?? '0/0')).toBeLessThan(stuck)
    expect(await metrics.registry.metrics()).toMatch(
      /oldest_unacknowledged_seconds\{[^}]*\} 0\.\d+/,
    )
    expect(first.healthy).toBe(true)

    await first[Symbol.asyncDispose]()
    producer.stuck = null
    await using _next = relayOf(db, producer)
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'after'), patiently)
    expect(producer.values.slice(51)).toEqual(['stuck', ...others, 'after'])
  })

  it('reconnects and resends unacknowledged messages', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using relay = relayOf(db, producer)
    await until(() => relay.role === 'leader')
    producer.hold()
    await write(db.pool, 'a')
    await write(db.pool, 'b')
    await query(
      db.url,
      `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1`,
      [db.slot],
    )
    producer.release()
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'c'), patiently)
    expect(producer.values.slice(-3)).toEqual(['a', 'b', 'c'])
  })

  it('does not skip a commit that begins exactly at the confirmed position', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const early = await db.pool.connect()
    await early.query('begin')
    await write(early, 'b')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'a'), patiently)
    producer.hold()
    // No other WAL is written in between, unless another client uses the same server.
    const { calls } = producer
    await early.query('commit')
    early.release()
    await until(() => producer.calls > calls)
    producer.lose()
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'c'), patiently)
    expect(producer.values).toEqual(['a', 'b', 'c'])
  })

  it('fails over to a stand-by without loss', async () => {
    await using db = await createCaptureDatabase()
    const [first, second] = [new HeldProducer(), new HeldProducer()]
    const holder = relayOf(db, first)
    await until(() => holder.role === 'leader')
    await using standby = relayOf(db, second)
    await until(() => standby.role === 'standby')
    expect(standby.healthy).toBe(true)
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'a'), patiently)
    expect([first.values, second.values]).toEqual([['a'], []])

    await holder[Symbol.asyncDispose]()
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'b'), patiently)
    expect(second.values).toEqual(['b'])
  })

  it('logs that its slot is lost, and never creates a new one', async () => {
    await using db = await createCaptureDatabase()
    const lines: string[] = []
    const log = createLogger('test', 'error', { write: (line) => void lines.push(line) })
    const metrics = createMetrics('test')
    await using relay = relayOf(db, new HeldProducer(), { log, metrics })
    await until(() => relay.role === 'leader')
    await until(async () => {
      await query(
        db.url,
        'select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1',
        [db.slot],
      )
      const dropping = query(db.url, 'select pg_drop_replication_slot($1)', [db.slot])
      return dropping.then(
        () => true,
        () => false,
      )
    })
    await until(() => lines.length > 0)
    expect(lines[0]).toContain('capture.slot.lost')
    expect(relay.healthy).toBe(false)
    expect(await metrics.registry.metrics()).toMatch(/surehook_capture_slot_lost\{[^}]*\} 1/)
    expect(await db.slotRow()).toBeUndefined()
  })

  it('sends a message that cannot be relayed to the invalid topic, and does not log its content', async () => {
    await using db = await createCaptureDatabase()
    const lines: string[] = []
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer, {
      log,
      toRecord: ({ header, body }) => {
        if (body.startsWith('sealed')) throw new Error(`not a state: ${body}`)
        return { topic: header.topic, key: header.key, value: Buffer.from(body) }
      },
    })
    await db.pool.query(
      `select pg_logical_emit_message(true, 'surehook/${service}', 'sealed poison')`,
    )
    await write(db.pool, 'sealed secret')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'good'), patiently)
    expect(producer.sent.map(({ topic, value }) => `${topic}: ${value}`)).toEqual([
      'invalid: null null | sealed poison | No header line',
      'invalid: t k | {"topic":"t","key":"k"}\nsealed secret | not a state: sealed secret',
      't: good',
    ])
    const reported = lines.filter((line) => line.includes('capture.invalid'))
    expect(reported.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { topic: null, key: null, bytes: 13 },
      { topic: 't', key: 'k', bytes: 37 },
    ])
    expect(lines.join()).not.toContain('sealed')
  })

  it('sends a record that Kafka refuses to the invalid topic, and continues', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    const picky = {
      healthy: true,
      async send(records: readonly OutgoingRecord[]) {
        const isRefused = records.some(({ topic, value }) => topic === 't' && `${value}` === 'huge')
        if (isRefused) throw new UnsendableError('too large')
        await producer.send(records)
      },
    }
    await using _relay = relayOf(db, producer, { producer: picky })
    await write(db.pool, 'huge')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'good'), patiently)
    // Topics have no order among each other.
    expect(producer.sent.map(({ topic, value }) => `${topic}: ${value}`).toSorted()).toEqual([
      'invalid: t k | huge | too large',
      't: good',
    ])
  })
})
