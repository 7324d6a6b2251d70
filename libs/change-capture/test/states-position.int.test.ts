import { expect, it } from '@jest/globals'
import { statesPositionOf } from '@surehook/contracts/wal-position'
import { query } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { emit } from '../src/emit/capture.ts'
import { parseLsn } from '../src/slot/lsn.ts'
import { waitUntilRelayed } from '../src/slot/wait-relayed.ts'
import {
  createCaptureDatabase,
  HeldProducer,
  patiently,
  relayOf,
  write,
} from './capture-database.ts'

it('sends the states position of another service with each record', async () => {
  await using db = await createCaptureDatabase()
  const states = { service: 'states', slot: `states_${db.slot}` }
  await query(db.url, `select pg_create_logical_replication_slot($1, 'pgoutput')`, [states.slot])
  const [stateProducer, producer] = [new HeldProducer(), new HeldProducer()]
  await using _states = relayOf(db, stateProducer, states)
  await using _relay = relayOf(db, producer, { statesOf: states })
  /** Returns the states position of a change that is written now. */
  const positionNow = async () => {
    await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'change'), patiently)
    return statesPositionOf(producer.sent.at(-1)?.headers)
  }
  const known = async (lsn: bigint) =>
    until(async () => BigInt(`0x${(await positionNow())?.slice(-16) ?? 0}`) >= lsn)
  await known(1n)

  stateProducer.hold()
  const message = { service: states.service, header: { topic: 's', key: 'k' }, body: 'state' }
  const state = await emit(db.pool, message)
  for (let n = 0; n < 5; n++) expect(await positionNow()).toBe(null)
  stateProducer.release()
  await known(parseLsn(state))
  const position = await positionNow()
  await waitUntilRelayed(db.pool, db.slot, await write(db.pool, 'of ours'), patiently)
  expect(await positionNow()).toBe(position)
})
