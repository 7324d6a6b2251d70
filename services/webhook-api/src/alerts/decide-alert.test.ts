import { describe, expect, it } from '@jest/globals'
import { decideAlert, groupWaitMs, mostNamed } from './decide-alert.ts'
import type { IncidentRow } from './incident-store.ts'

const now = 1_000_000_000
const quietMs = 300_000
const ago = (ms: number) => new Date(now - ms)
const long = ago(quietMs + groupWaitMs)

const incident = (change: Partial<IncidentRow> = {}): IncidentRow => ({
  ...{ id: 'a', name: 'Orders', key: 'orders', began_at: long },
  ...{ circuit_opened_at: long, dead_letter_at: null, failed_at: long, succeeded_at: null },
  ...{ circuit_told: false, dead_letter_told: false, dead_letters: 7, paused: 2 },
  ...{ disabled_at: null, disabled_reason: null },
  ...change,
})
const decide = (...incidents: IncidentRow[]) => decideAlert(incidents, { now, quietMs })
const nothing = { webhooks: [], more: 0, told: [], ended: [] }
const told = { circuit_told: true }

describe('people are told', () => {
  it('that a circuit opened', () => {
    expect(decide(incident())).toEqual({
      ...{ more: 0, told: ['a'], ended: [] },
      webhooks: [
        {
          ...{ webhookId: 'a', name: 'Orders', recovered: false, since: long.toISOString() },
          ...{ circuitOpened: true, deadLetters: 0, paused: 2, deactivated: null },
        },
      ],
    })
  })

  it('that dead letters began, also after they were told of the circuit', () => {
    const { webhooks } = decide(incident({ ...told, dead_letter_at: long }))
    expect(webhooks).toMatchObject([{ circuitOpened: true, deadLetters: 7 }])
  })

  it('of all webhooks that fail, once the first has failed for some seconds', () => {
    const early = incident({ circuit_opened_at: ago(groupWaitMs) })
    const late = incident({ id: 'b', circuit_opened_at: ago(1) })
    expect(decide(early, late).told).toEqual(['a', 'b'])
    expect(decide(late)).toEqual(nothing)
  })

  it('that a webhook recovered, once it had no trouble for the digest interval', () => {
    const works = { ...told, succeeded_at: ago(1) }
    expect(decide(incident({ ...works, failed_at: ago(quietMs) }))).toMatchObject({
      webhooks: [{ recovered: true }],
      ended: ['a'],
    })
    expect(decide(incident({ ...works, failed_at: ago(quietMs - 1) }))).toEqual(nothing)
  })

  it('that a webhook was deactivated and why, which ends its incident', () => {
    const gone = incident({ ...told, disabled_at: long, disabled_reason: 'Gone' })
    expect(decide(gone)).toMatchObject({
      webhooks: [{ recovered: false, deactivated: 'Gone' }],
      ended: ['a'],
    })
    const worked = { succeeded_at: ago(1), failed_at: ago(quietMs) }
    expect(decide({ ...gone, ...worked }).webhooks).toMatchObject([{ recovered: false }])
    expect(decide({ ...gone, disabled_at: ago(1) })).toEqual(nothing)
  })

  it('of the first webhooks by name, and of the others by their number', () => {
    const many = Array.from({ length: mostNamed + 2 }, (_, n) => incident({ id: `${n}` }))
    const { webhooks, more, told: all } = decide(...many)
    expect([webhooks.length, more, all.length]).toEqual([mostNamed, 2, mostNamed + 2])
  })
})

describe('people are not told', () => {
  it('again of the same incident', () => {
    expect(decide(incident(told))).toEqual(nothing)
  })

  it('of a success before the last trouble', () => {
    expect(decide(incident({ ...told, succeeded_at: ago(quietMs + 2 * groupWaitMs) }))).toEqual(
      nothing,
    )
  })

  it('that a webhook recovered of whose trouble they never heard', () => {
    expect(decide(incident({ succeeded_at: ago(1) }))).toEqual({ ...nothing, ended: ['a'] })
  })
})
