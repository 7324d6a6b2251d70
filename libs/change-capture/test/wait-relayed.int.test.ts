import { describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { parseLsn } from '../src/slot/lsn.ts'
import { anyPosition, waitUntilRelayed } from '../src/slot/wait-relayed.ts'
import {
  createCaptureDatabase,
  HeldProducer,
  patiently,
  relayOf,
  write,
} from './capture-database.ts'

describe('waitUntilRelayed', () => {
  it('rejects with SERVICE_UNAVAILABLE while Kafka holds the acknowledgement back', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    producer.hold()
    await using _relay = relayOf(db, producer)
    const lsn = await write(db.pool, 'a')
    const waiting = waitUntilRelayed(db.pool, db.slot, lsn, { timeoutMs: 500 })
    await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    producer.release()
    await waitUntilRelayed(db.pool, db.slot, lsn, patiently)
  })

  it('is not satisfied by a transaction that was written later and committed earlier', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const slow = await db.pool.connect()
    await slow.query('begin')
    const lsn = await write(slow, 'slow')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'quick'), patiently)
    expect(parseLsn((await db.slotRow())?.confirmed ?? '0/0')).toBeGreaterThan(parseLsn(lsn))

    producer.hold()
    await slow.query('commit')
    slow.release()
    const waiting = waitUntilRelayed(db.pool, db.slot, lsn, { timeoutMs: 500 })
    await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    producer.release()
    await waitUntilRelayed(db.pool, db.slot, lsn, patiently)
    expect(producer.values).toEqual(['quick', 'slow'])
  })

  it('is not delayed by a partly flushed record of another transaction', async () => {
    await using db = await createCaptureDatabase()
    await using relay = relayOf(db, new HeldProducer())
    await until(() => relay.role === 'leader')
    const other = await db.pool.connect()
    try {
      await other.query('begin')
      // Longer than a page. The transaction forces no flush, but PostgreSQL writes full pages
      // anyway.
      await other.query("select pg_logical_emit_message(false, 'other', repeat('x', 20000))")
      const { rows } = await db.pool.query<{ end: string }>(
        'select pg_current_wal_insert_lsn()::text as end',
      )
      const end = parseLsn(rows[0]?.end ?? '0/0')
      const flushed = async () => {
        const found = await db.pool.query<{ lsn: string }>(
          'select pg_current_wal_flush_lsn()::text as lsn',
        )
        return parseLsn(found.rows[0]?.lsn ?? '0/0')
      }
      await until(async () => end - (await flushed()) < 8_192n)
      // PostgreSQL flushes the record by itself within 15 s.
      await waitUntilRelayed(db.pool, db.slot, anyPosition, { timeoutMs: 5_000 })
    } finally {
      await other.query('rollback')
      other.release()
    }
  })

  it('serves many concurrent callers', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 25; n++) {
        const lsn = await write(db.pool, `${writer}/${n}`)
        await waitUntilRelayed(db.pool, db.slot, lsn, patiently)
        expect(producer.values).toContain(`${writer}/${n}`)
      }
    })
    await Promise.all(writers)
  })

  it('stops when its caller aborts', async () => {
    await using db = await createCaptureDatabase()
    const lsn = await write(db.pool, 'a')
    const signal = AbortSignal.timeout(100)
    const waiting = waitUntilRelayed(db.pool, db.slot, lsn, { timeoutMs: 20_000, signal })
    await expect(waiting).rejects.toThrow(/abort/i)
  })
})
