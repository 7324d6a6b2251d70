import { describe, expect, it } from '@jest/globals'
import { parseLsn } from '../src/capture/lsn.ts'
import { waitUntilRelayed } from '../src/capture/wait-relayed.ts'
import { createCaptureDatabase, HeldProducer, relayOf, write } from './capture-database.ts'

const soon = { timeoutMs: 5_000 }

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
    await waitUntilRelayed(db.pool, db.slot, lsn, soon)
  }, 30_000)

  it('is not satisfied by a transaction that was written later and committed earlier', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const slow = await db.pool.connect()
    await slow.query('begin')
    const lsn = await write(slow, 'slow')
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'quick'), soon)
    expect(parseLsn((await db.slotRow())?.confirmed ?? '0/0')).toBeGreaterThan(parseLsn(lsn))

    producer.hold()
    await slow.query('commit')
    slow.release()
    const waiting = waitUntilRelayed(db.pool, db.slot, lsn, { timeoutMs: 500 })
    await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    producer.release()
    await waitUntilRelayed(db.pool, db.slot, lsn, soon)
    expect(producer.values).toEqual(['quick', 'slow'])
  }, 30_000)

  it('serves many who wait at once', async () => {
    await using db = await createCaptureDatabase()
    const producer = new HeldProducer()
    await using _relay = relayOf(db, producer)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 25; n++) {
        const lsn = await write(db.pool, `${writer}/${n}`)
        await waitUntilRelayed(db.pool, db.slot, lsn, soon)
        expect(producer.values).toContain(`${writer}/${n}`)
      }
    })
    await Promise.all(writers)
  }, 30_000)

  it('gives up when its caller does', async () => {
    await using db = await createCaptureDatabase()
    const lsn = await write(db.pool, 'a')
    const signal = AbortSignal.timeout(100)
    const waiting = waitUntilRelayed(db.pool, db.slot, lsn, { timeoutMs: 20_000, signal })
    await expect(waiting).rejects.toThrow(/abort/i)
  }, 30_000)
})
