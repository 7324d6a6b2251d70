import {
  type Ledger,
  type LedgerCounts,
  type LedgerHole,
  type LedgerLine,
  ledgerLimits,
} from '@surehook/contracts/http/webhooks/ledger'
import type { DeliveryFacts } from './deliveries/delivery-table.ts'
import { judgeDelivery, type Verdict } from './deliveries/judge-delivery.ts'
import type { LedgerReading } from './ledger-reading.ts'

const places = { delivered: 0, dead: 0, pending: 0, retrying: 0, paused: 0, cancelled: 0 }

export function noCounts(): LedgerCounts {
  const holes = { neverMatched: 0, lost: 0, unexpected: 0 }
  const others = { awaiting: 0, unverified: 0, endedTwice: 0 }
  const asked = { made: 0, ...places, lost: 0, endedTwice: 0 }
  return { matched: 0, ...places, ...holes, ...others, asked }
}

export type Sum = Pick<
  Ledger,
  'total' | 'webhooks' | 'webhooksLeftOut' | 'holes' | 'holesLeftOut' | 'endedTwice'
>

/** Sums up a reading, in all and per webhook. */
export function sumUp(reading: Pick<LedgerReading, 'table' | 'ownerOf'>): Sum {
  const { table } = reading
  const total = noCounts()
  const bySubscription = new Map<number, LedgerCounts>()
  const holes: LedgerHole[] = []
  const endedTwice: Sum['endedTwice'] = []
  let holeCount = 0
  for (let index = 0; index < table.size; index++) {
    const facts = table.factsOf(index)
    const verdict = judgeDelivery(facts)
    if (verdict === null) continue
    const counts = bySubscription.get(facts.subscription) ?? noCounts()
    bySubscription.set(facts.subscription, counts)
    for (const each of [counts, total]) count(each, facts, verdict)
    const isHole = verdict.kind === 'hole'
    if (isHole) holeCount += 1
    const list = isHole ? holes : endedTwice
    if ((!isHole && !facts.endedTwice) || list.length === ledgerLimits.events) continue
    const owner = reading.ownerOf(facts.subscription)
    const event = { ...owner, eventId: table.eventIdOf(index), asked: facts.kind === 'asked' }
    if (isHole) holes.push({ ...event, reason: verdict.reason })
    else endedTwice.push(event)
  }
  const lines = linesOf(bySubscription, reading)
  const webhooks = lines.slice(0, ledgerLimits.subscriptions)
  const webhooksLeftOut = lines.length - webhooks.length
  const holesLeftOut = holeCount - holes.length
  return { total, webhooks, webhooksLeftOut, holes, holesLeftOut, endedTwice }
}

function count(counts: LedgerCounts, facts: DeliveryFacts, verdict: NonNullable<Verdict>): void {
  const of = facts.kind === 'asked' ? counts.asked : counts
  if (facts.endedTwice) of.endedTwice += 1
  switch (verdict.kind) {
    case 'place':
      of[verdict.place] += 1
      break
    case 'awaiting':
    case 'unverified':
      counts[verdict.kind] += 1
      return
    case 'hole':
      if (verdict.reason === 'unexpected') {
        counts.unexpected += 1
        return
      }
      if (verdict.reason === 'never_matched') counts.neverMatched += 1
      else of.lost += 1
  }
  if (facts.kind === 'asked') counts.asked.made += 1
  else counts.matched += 1
}

const holesOf = ({ neverMatched, lost, unexpected, asked }: LedgerCounts) =>
  neverMatched + lost + unexpected + asked.lost

function linesOf(
  bySubscription: ReadonlyMap<number, LedgerCounts>,
  reading: Pick<LedgerReading, 'ownerOf'>,
): LedgerLine[] {
  const lines = Array.from(bySubscription, ([subscription, counts]) => ({
    ...reading.ownerOf(subscription),
    ...counts,
  }))
  const place = (line: LedgerLine) => [line.projectId, line.environment, line.webhookId].join('/')
  return lines.toSorted((a, b) => holesOf(b) - holesOf(a) || (place(a) < place(b) ? -1 : 1))
}
