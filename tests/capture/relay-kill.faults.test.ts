import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { emit } from '@surehook/change-capture/emit/capture'
import { waitUntilRelayed } from '@surehook/change-capture/slot/wait-relayed'
import { createKafka } from '@surehook/kafka/client/client'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { followTopics } from '@surehook/testing/follow-topics'
import { until } from '@surehook/testing/until'

const log = createLogger('test', 'silent')
const script = fileURLToPath(new URL('./relay-process.ts', import.meta.url))

const slot = 'relay_kill'

async function openDatabase(url: string) {
  const pool = openPool({ connectionString: url, applicationName: 'test', max: 6, log })
  await pool.query('create publication surehook_capture')
  await pool.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [slot])
  return { pool, [Symbol.asyncDispose]: () => pool.end() }
}

/** Starts a relay process. `leads` becomes true when the relay reports that it holds the slot. */
function startRelay({ databaseUrl, kafkaBrokers }: Stack) {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=source', script, databaseUrl, slot, kafkaBrokers],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const relay = { child, leads: false }
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('"role":"leader"')) relay.leads = true
    })
  }
  return relay
}

async function kill({ child }: { child: ChildProcess }): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

describe('a relay that is killed again and again', () => {
  it('loses nothing, keeps the commit order, and a standby takes over', async () => {
    await using stack = await openOwnStack({ only: ['kafka', 'postgres'] })
    await using database = await openDatabase(stack.databaseUrl)
    const { pool } = database
    const kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log })
    await ensureTopics(kafka, [{ name: slot, partitions: 'one', config: {} }], {
      mainPartitions: 1,
      replicationFactor: 1,
      log,
      signal: AbortSignal.timeout(120_000),
    })
    const received: number[] = []
    await using consumer = followTopics({
      kafka,
      topics: [slot],
      log,
      take: ({ value }) => {
        received.push(Number(value))
      },
    })
    await consumer.ready

    let written = 0
    const stop = new AbortController()
    const writing = (async () => {
      for (; !stop.signal.aborted; written++) {
        const header = { topic: slot, key: 'k' }
        await emit(pool, { service: 'test', header, body: `${written}` })
      }
    })()
    let [leader, standby] = [startRelay(stack), startRelay(stack)]
    for (let round = 0; round < 6; round++) {
      await until(() => leader.leads || standby.leads)
      if (standby.leads) [leader, standby] = [standby, leader]
      const before = received.length
      await until(() => received.length > before + 50)
      await sleep(Math.random() * 50)
      await kill(leader)
      const killedAt = Date.now()
      await until(() => standby.leads)
      process.stdout.write(`round ${round}: taken over after ${Date.now() - killedAt} ms\n`)
      leader = startRelay(stack)
    }
    stop.abort()
    await writing
    const { rows } = await pool.query<{ lsn: string }>(
      'select pg_current_wal_flush_lsn()::text as lsn',
    )
    await waitUntilRelayed(pool, slot, rows[0]?.lsn ?? '', { timeoutMs: 60_000 })
    await until(() => new Set(received).size === written)
    await Promise.all([kill(leader), kill(standby)])

    let next = 0
    for (const n of received) {
      expect(n).toBeLessThanOrEqual(next)
      if (n === next) next += 1
    }
    process.stdout.write(`${written} written, ${received.length - written} relayed again, 0 lost\n`)
  })
})
