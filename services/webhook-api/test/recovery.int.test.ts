import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { redeliveryId } from '@surehook/contracts/ids'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { type Client } from '@surehook/scripts/client/call'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { storedBodies } from '../src/history/read/stored-bodies.ts'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore, type DeliveryStore } from '../src/history/write/delivery-store.ts'
import { logJobs } from '../src/redelivery/jobs/log-jobs.ts'
import { recoverDeadLetters } from '../src/redelivery/recovery/recover.ts'
import { runRecoveryWorker } from '../src/redelivery/recovery/recovery-worker.ts'
import { connectionSlots } from '../src/tenants/connection-slots.ts'
import { clientOf, validInput } from './support/client.ts'
import { log, openWorld, type Tenant, type World } from './support/under-test.ts'

let world: World
let pool: Pool
let historyPool: Pool
let store: DeliveryStore
let tenant: Tenant
let client: Client
let id: string

beforeAll(async () => {
  world = await openWorld()
  pool = world.pool
  historyPool = world.historyPool
  store = createDeliveryStore(historyPool, createDeliveryDays(historyPool))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(openTenant)

async function openTenant(): Promise<void> {
  tenant = await world.tenant()
  await using service = await world.startService()
  client = clientOf(service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
}

/** The jobs are on no topic: their rows have the bodies. */
const bodies = storedBodies({
  reader: { readFrom: async () => [] },
  codec: { job: { encode: () => Buffer.alloc(0), decode: () => aJob() } },
})

const now = Date.now()
const since = new Date(now - 10 * 86_400_000)
const firstMade = now - 5 * 86_400_000
const minutes10 = 600_000

/** Inserts dead letters over the last days and returns their ids. */
async function deadLetters(
  count: number,
  change: Partial<DeliveryAttempt> = {},
): Promise<string[]> {
  const { projectId, environment } = tenant
  const all = Array.from({ length: count }, (_, n) => ({
    deliveryId: randomUUID(),
    subscriptionId: id,
    projectId,
    environment,
    // Several share a millisecond, and they span several days.
    createdAt: firstMade + Math.floor(n / 3) * minutes10,
  }))
  await store.addJobs(all.map((own) => aJob(own)))
  await store.addTransitions(
    all.map((own) =>
      anAttempt({ ...change, ...own, status: 'dead_letter', step: 5, at: now - 1_000 }),
    ),
  )
  return all.map(({ deliveryId }) => deliveryId)
}

type EmittedJob = { deliveryId: string; redeliveryOf: string | null }
type Crash = 'never' | 'before commit' | 'after commit'

/**
 * Like the real writer but without Kafka: records what was committed, and crashes where `crash`
 * says.
 */
function aWriter(crash: (nth: number) => Crash = () => 'never') {
  const emitted: EmittedJob[] = []
  let writes = 0
  const writer: Pick<StateWriter, 'write'> = {
    async write(work) {
      const fate = crash(++writes)
      const mine: EmittedJob[] = []
      const result = await inTransaction(pool, async (tx) => {
        const done = await work(tx, async ({ topic, state }) => {
          expect(topic).toBe(deliveriesTopic)
          mine.push(state as EmittedJob)
        })
        if (fate === 'before commit') throw new Error('killed')
        return done
      })
      emitted.push(...mine)
      if (fate === 'after commit') throw new Error('killed')
      return result
    },
  }
  return { writer, emitted, writes: () => writes }
}

const open = async () => (await pool.query('select id from recovery')).rowCount ?? 0

async function recover(span: { since: Date; until?: Date } = { since }): Promise<number> {
  const { writer } = aWriter()
  const keyed = {
    write: <T extends object>(_asked: unknown, work: Parameters<StateWriter['write']>[0]) =>
      writer.write(work) as Promise<T>,
  }
  const ask = { tenant, key: undefined, traceparent: null }
  const slots = connectionSlots({ pool, historyPool })
  const deps = { pool, historyPool, slots, writer: keyed, wake: () => undefined }
  const { count } = await recoverDeadLetters(deps)(ask, id, span)
  return count
}

/** Runs workers until no recovery is left. */
async function finish(writer: Pick<StateWriter, 'write'>, workers = 1): Promise<void> {
  const running = Array.from({ length: workers }, () =>
    runRecoveryWorker({ pool, historyPool, writer, bodies, logJobs: logJobs(store, log), log }),
  )
  const isDone = async () => {
    for (const worker of running) worker.wake()
    await turn()
    return (await open()) === 0
  }
  await until(isDone, { what: 'the end of the recovery' })
  await Promise.all(running.map((worker) => worker[Symbol.asyncDispose]()))
}

const originalsOf = (emitted: readonly EmittedJob[]) =>
  emitted.map(({ redeliveryOf }) => redeliveryOf).toSorted()

describe('a recovery', () => {
  it('sends each dead letter of the span once, in order, in batches', async () => {
    const letters = await deadLetters(450)
    await deadLetters(3, { errorClass: 'too_large' })
    expect(await recover()).toBe(450)
    const { writer, emitted, writes } = aWriter()
    await finish(writer)
    expect(originalsOf(emitted)).toEqual(letters.toSorted())
    expect(writes()).toBeGreaterThan(2)
    expect(await recover()).toBe(0)
  })

  it('is refused while the history lacks a job of the span', async () => {
    const { projectId, environment } = tenant
    const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
    const place = { ...own, createdAt: firstMade }
    await store.addTransitions([
      anAttempt({ ...place, status: 'dead_letter', step: 5, at: now - 1_000 }),
    ])
    await expect(recover()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await store.addJobs([aJob(place)])
    expect(await recover()).toBe(1)
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(originalsOf(emitted)).toEqual([own.deliveryId])
  })

  it('continues after a crash at any line, and repeats nothing', async () => {
    const letters = await deadLetters(900)
    await recover()
    const fates: Crash[] = ['never', 'before commit', 'after commit']
    const { writer, emitted } = aWriter((nth) => fates[nth % 3] ?? 'never')
    await finish(writer)
    expect(originalsOf(emitted)).toEqual(letters.toSorted())
  })

  it('runs on one replica at a time', async () => {
    const letters = await deadLetters(900)
    await recover()
    const { writer, emitted } = aWriter()
    await finish(writer, 3)
    expect(originalsOf(emitted)).toEqual(letters.toSorted())
  })

  it('of one project takes turns with those of another', async () => {
    const busy = { tenant, id }
    await openTenant()
    const other = { tenant, id }
    const letters = await deadLetters(3)
    ;({ tenant, id } = busy)
    await deadLetters(18)
    for (let n = 0; n < 6; n++) {
      const from = firstMade + n * minutes10
      expect(await recover({ since: new Date(from), until: new Date(from + minutes10) })).toBe(3)
    }
    ;({ tenant, id } = other)
    await recover()
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(emitted).toHaveLength(21)
    expect(originalsOf(emitted.slice(3, 6))).toEqual(letters.toSorted())
  })

  it('of a span that another one covers sends nothing twice', async () => {
    const letters = await deadLetters(500)
    expect([await recover(), await recover()]).toEqual([500, 500])
    const { writer, emitted } = aWriter()
    await finish(writer, 2)
    expect(originalsOf(emitted)).toEqual(letters.toSorted())
  })

  it('derives the id of every delivery from the request', async () => {
    const [letter = ''] = await deadLetters(1)
    await recover()
    const requestId = String((await pool.query('select id from recovery')).rows[0]?.id)
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(emitted).toMatchObject([
      { deliveryId: redeliveryId(letter, requestId), redeliveryOf: letter },
    ])
  })

  it('sends the redelivery that died, not its original', async () => {
    await deadLetters(1)
    await recover()
    const first = aWriter()
    await finish(first.writer)
    const again = first.emitted[0]?.deliveryId ?? ''
    const { projectId, environment } = tenant
    const own = { deliveryId: again, subscriptionId: id, projectId, environment }
    const { rows } = await historyPool.query('select created_at from delivery where id = $1', [
      again,
    ])
    const createdAt = Number(rows[0]?.created_at)
    await store.addTransitions([
      anAttempt({ ...own, createdAt, status: 'dead_letter', step: 5, at: createdAt }),
    ])
    expect(await recover()).toBe(1)
    const second = aWriter()
    await finish(second.writer)
    expect(originalsOf(second.emitted)).toEqual([again])
  })

  it('repeats nothing that an older webhook-api has sent during an upgrade', async () => {
    const letters = await deadLetters(30)
    await recover()
    // The older one knows no column for the day of the position.
    const { rows } = await historyPool.query<{ at: Date; id: string }>(
      `select created_at as at, id from delivery where subscription_id = $1
       order by day, created_at, id offset 27 limit 1`,
      [id],
    )
    await pool.query('update recovery set position_at = $1, position_id = $2', [
      rows[0]?.at,
      rows[0]?.id,
    ])
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(emitted).toHaveLength(2)
    expect(letters).toContain(rows[0]?.id)
  })

  it('covers deliveries that died late, and ends if their bytes are gone', async () => {
    const late = createDeliveryStore(historyPool, createDeliveryDays(historyPool), 30)
    const { projectId, environment } = tenant
    const createdAt = now - 40 * 86_400_000
    const place = { subscriptionId: id, projectId, environment, createdAt }
    const dead = { ...place, status: 'dead_letter', step: 5, at: now - 1_000 } as const
    const ids = [randomUUID(), randomUUID()]
    const [kept = '', gone = ''] = ids
    await late.add({
      jobs: ids.map((deliveryId) => aJob({ ...place, deliveryId })),
      transitions: ids.map((deliveryId) => anAttempt({ ...dead, deliveryId })),
    })
    // The topic has its job no more.
    await historyPool.query(
      `update delivery set body = null, job_partition = 0, job_offset = 1 where id = $1`,
      [gone],
    )
    const longAgo = { since: new Date(createdAt - 1_000), until: new Date(createdAt + 1_000) }
    expect(await recover(longAgo)).toBe(2)
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(originalsOf(emitted)).toEqual([kept])
  })

  it('ends with its subscription', async () => {
    await deadLetters(5)
    await recover()
    await pool.query('delete from subscription where id = $1', [id])
    const { writer, emitted } = aWriter()
    await finish(writer)
    expect(emitted).toEqual([])
  })
})
