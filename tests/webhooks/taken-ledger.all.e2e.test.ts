import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type LedgerQuery, Surehook } from '@surehook/client'
import type { Ledger, LedgerLine } from '@surehook/contracts/http/webhooks/ledger'
import { changesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { expectStatus, send } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import type { Behaviour } from '@surehook/scripts/receiver/receiver'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

let world: ListeningWorld

beforeAll(async () => {
  const env = {
    WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,1s',
    WEBHOOK_CIRCUIT_COOLDOWN: '100ms',
  }
  world = await openListeningWorld({ env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const fail: Behaviour = () => ({ status: 500 })
/** Every third request fails the first time. */
const stumble: Behaviour = (_, nth) => ({ status: nth % 3 === 0 ? 503 : 204 })

/** Takes the ledger of one project since its beginning. */
function ledgerOf({ projectId }: Tenant, more: Partial<LedgerQuery> = {}) {
  const { baseUrl, adminToken } = world.system
  const { admin } = new Surehook({ baseUrl, projectId, token: adminToken })
  const query = { from: startedAt.toISOString(), project: projectId, ...more }
  return admin.installation.ledger(query)
}
const startedAt = new Date()

function lineOf(ledger: Ledger, id: string): LedgerLine {
  const line = ledger.webhooks.find(({ webhookId }) => webhookId === id)
  if (line === undefined) throw new Error('the ledger does not know the webhook')
  return line
}

/** Runs `surehook ledger` against the system, as a remote operator does. */
async function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { baseUrl, adminToken } = world.system
  const child = spawn(
    process.execPath,
    ['--conditions=source', 'packages/cli/src/main.ts', 'ledger', '--url', baseUrl, ...args],
    { cwd: repoRoot, env: { ...process.env, SUREHOOK_ADMIN_TOKEN: adminToken } },
  )
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, out, err }
}

describe('the ledger, through the gateway', () => {
  it('balances while changes are written, whatever happens to their deliveries', async () => {
    const tenant = await world.tenant()
    const fine = await world.listen(tenant, {}, stumble)
    const dead = await world.listen(tenant, {}, fail)
    const paused = await world.listen(tenant, {}, fail)
    const deleted = await world.listen(tenant, {}, fail)
    const half = await world.listen(tenant, { filter: { n: { lt: 15 } } })

    const taken: Ledger[] = []
    const written = 40
    const load = (async () => {
      for (let n = 0; n < written; n += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, more) => tenant.insert({ n: n + more })))
        if (n === 10) await tenant.webhooks(`PATCH /${paused.id}`, { active: false })
        if (n === 20) await tenant.webhooks(`DELETE /${deleted.id}`)
      }
    })()
    const writing = new AbortController()
    const ends = load.finally(() => writing.abort())
    while (!writing.signal.aborted) taken.push(await ledgerOf(tenant))
    await ends
    for (const { closes, holes, notes } of taken) {
      expect({ closes, holes, notes }).toEqual({ closes: true, holes: [], notes: [] })
    }

    // Some of the dead deliveries wait for their circuit in between.
    const isAtRest = (ledger: Ledger) => {
      const { pending, retrying, awaiting } = ledger.total
      return pending + retrying + awaiting + lineOf(ledger, dead.id).paused === 0
    }
    const ledger = await eventually(() => ledgerOf(tenant), isAtRest)
    expect(ledger.closes).toBe(true)
    expect(lineOf(ledger, fine.id)).toMatchObject({ matched: written, delivered: written })
    expect(lineOf(ledger, dead.id)).toMatchObject({ matched: written, dead: written })
    expect(lineOf(ledger, half.id)).toMatchObject({ matched: 15, delivered: 15 })
    const line = lineOf(ledger, paused.id)
    expect(line.paused).toBeGreaterThan(0)
    expect(line).toMatchObject({ matched: 20, dead: 20 - line.paused })
    const ended = lineOf(ledger, deleted.id)
    expect(ended.cancelled).toBeGreaterThan(0)
    expect(ended).toMatchObject({ matched: 30, dead: 30 - ended.cancelled })
  })

  it('covers a span and a scope', async () => {
    const tenant = await world.tenant()
    const other = await world.tenant()
    const listener = await world.listen(tenant)
    await tenant.insert({ n: 1 })
    await listener.arrived(1)
    const middle = new Date().toISOString()
    await tenant.insert({ n: 2 })
    await listener.arrived(2)
    const delivered = ({ total }: Ledger) => total.delivered
    expect(delivered(await ledgerOf(tenant, { to: middle }))).toBe(1)
    expect(delivered(await ledgerOf(tenant, { from: middle }))).toBe(1)
    expect(delivered(await ledgerOf(tenant))).toBe(2)
    expect(delivered(await ledgerOf(other))).toBe(0)
    expect(delivered(await ledgerOf(tenant, { environment: 'elsewhere' }))).toBe(0)
  })

  it('counts redeliveries separately, and recognises test events', async () => {
    const tenant = await world.tenant()
    const listener = await world.listen(tenant)
    await tenant.insert({ n: 1 })
    const [delivery] = await listener.log((all) => all[0]?.status === 'delivered')
    const redeliver = `POST /${listener.id}/deliveries/${delivery?.id}/redeliver`
    // The log may have read the delivery's success before its job and body. Until then the answer
    // is 503.
    await eventually(
      () => tenant.webhooks(redeliver),
      ({ status }) => status === 202,
    )
    expectStatus(202, await tenant.webhooks(`POST /${listener.id}/test`))
    await listener.arrived(3)
    const isDelivered = ({ total }: Ledger) => total.asked.delivered === 2
    const { closes, total } = await eventually(() => ledgerOf(tenant), isDelivered)
    expect(closes).toBe(true)
    expect(total).toMatchObject({ matched: 1, delivered: 1, asked: { made: 2 } })
  })

  it('finds a change that the matcher skipped, and reports it on the command line', async () => {
    const tenant = await world.tenant()
    const listener = await world.listen(tenant)
    const [matcher] = world.system.services['webhook-matcher']
    await matcher?.stop()
    await tenant.insert({ n: 1 })
    await eventually(
      () => ledgerOf(tenant),
      ({ total }) => total.awaiting === 1,
    )
    await passOver()
    await matcher?.restart()
    await tenant.insert({ n: 2 })
    await listener.arrived(1)

    // The receiver has it before Kafka has the outcome.
    const ledger = await eventually(
      () => ledgerOf(tenant),
      ({ total }) => total.delivered === 1,
    )
    expect(ledger.total).toMatchObject({ matched: 2, delivered: 1, neverMatched: 1 })
    expect(ledger.holes).toMatchObject([{ webhookId: listener.id, reason: 'never_matched' }])
    const holes = await command('--project', tenant.projectId)
    expect(holes).toMatchObject({ code: 1, err: '' })
    expect(holes.out).toContain(`${ledger.holes[0]?.eventId}  never_matched`)
  })

  it('ends the command with a code for scripts', async () => {
    const closes = await command('--json', '--project', 'none-of-them')
    expect(closes).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(closes.out)).toMatchObject({ closes: true, holes: [] })
    const tooOld = await command('--from', '8d')
    expect(tooOld).toMatchObject({ code: 2, out: '' })
    expect(tooOld.err).toContain('from must not be before')
  })

  it('is only for the administrator', async () => {
    const { headers } = await world.tenant()
    const path = `/gw/api/rest/_webhooks/_ledger?from=${startedAt.toISOString()}`
    const answer = await send(world.system.baseUrl, `GET ${path}`, { headers })
    expect(expectStatus(401, answer).body.error).toBe('ADMIN_TOKEN_INVALID')
  })
})

/** Commits everything on `changes` as if the matcher had finished it. */
async function passOver(): Promise<void> {
  const brokers = world.system.endpoints.kafkaBrokers.split(',')
  const log = createLogger('test', 'silent')
  const admin = createKafka({ brokers, clientId: 'test', log }).admin()
  await admin.connect()
  try {
    const ends = await admin.fetchTopicOffsets(changesTopic)
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }))
    await admin.setOffsets({ groupId: 'webhook-matcher', topic: changesTopic, partitions })
  } finally {
    await admin.disconnect()
  }
}
