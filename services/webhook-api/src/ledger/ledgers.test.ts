import { describe, expect, it } from '@jest/globals'
import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { TableFullError } from './deliveries/delivery-table.ts'
import { createLedgers, type LedgersDeps } from './ledgers.ts'

const now = Date.UTC(2026, 0, 31, 12)
const query = { from: new Date(now - 1_000) }

function ledgersWith(take: LedgersDeps['take'], withinMs = 60_000) {
  const taken: Ledger[] = []
  const ledgers = createLedgers({
    take,
    refuseTrimmed: async () => undefined,
    withinMs,
    metrics: { taken: (ledger) => void taken.push(ledger) },
    log: createLogger('test', 'silent'),
    now: () => now,
  })
  const ask = (signal = new AbortController().signal) => ledgers.ask(query, signal)
  return { ask, taken }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('createLedgers', () => {
  it('takes one at a time', async () => {
    const client = new AbortController()
    const { ask } = ledgersWith((_, signal) => untilAborted(signal))
    const first = ask(client.signal)
    await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterS: 5 })
    client.abort(new Error('left'))
    await expect(first).rejects.toThrow('left')
  })

  it('reports an incomplete ledger when the time limit passes', async () => {
    const { ask, taken } = ledgersWith((_, signal) => untilAborted(signal), 1)
    const ledger = await ask()
    expect(ledger).toMatchObject({ complete: false, closes: false, holes: [], webhooks: [] })
    expect(ledger.notes.join()).toContain('shorter span')
    expect(taken).toEqual([ledger])
  })

  it('reports an incomplete ledger when there are too many deliveries', async () => {
    const { ask } = ledgersWith(() => Promise.reject(new TableFullError()))
    expect(await ask()).toMatchObject({ complete: false, closes: false })
  })

  it('fails when Kafka does, and accepts the next request', async () => {
    const { ask, taken } = ledgersWith(() => Promise.reject(new Error('no broker')))
    for (let time = 0; time < 2; time++) await expect(ask()).rejects.toThrow('no broker')
    expect(taken).toEqual([])
  })
})
