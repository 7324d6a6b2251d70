import type { EventPayload } from '@surehook/contracts/events/event-payload'
import type { Receipt, Receiver } from '@surehook/scripts/receiver/receiver'
import { until } from '@surehook/testing/until'
import type { DeliveryAudit, Statuses } from './delivery-audit.ts'
import type { Story, WrittenChange } from './load.ts'
import { ownHeader, type Subscriber } from './subscribers.ts'

export type LedgerOptions = {
  audit: DeliveryAudit
  receiver: Receiver
  subscribers: readonly Subscriber[]
  written: WrittenChange
  /**
   * How many deliveries of each subscription may have been in flight when a process was killed. It
   * is asked at the end.
   */
  mayRepeat?: number | (() => Promise<number>)
  settleWithinMs?: number
  /** The number of messages that were on topics of refused messages before. */
  refusedBefore?: number
}

export type Account = {
  subscriber: string
  matched: number
  received: number
  /** The number of dead letters. */
  dead: number
  /** The number of deliveries that came again although the receiver had accepted them. */
  repeated: number
  /**
   * The number of changes that came after a later change of their record, because both were in
   * flight.
   */
  overtaken: number
}

/**
 * Changes of one record that arrive in the wrong order with more than this between them were not in
 * flight together. An attempt ends after 30 s; a busy machine may take as long to make it.
 */
const attemptTimeoutMs = 60_000

/** Waits until nothing is in progress, and then throws if anything does not add up. */
export async function closeLedger(options: LedgerOptions): Promise<Account[]> {
  const { audit, subscribers } = options
  await settled(options)
  const { mayRepeat: given = 0 } = options
  const mayRepeat = typeof given === 'number' ? given : await given()
  const faults: string[] = []
  const accounts: Account[] = []
  for (const subscriber of subscribers)
    accounts.push(await auditSubscriber(subscriber, { ...options, mayRepeat }, faults))
  const refused = (await audit.refused()) - (options.refusedBefore ?? 0)
  if (refused > 0) faults.push(`${refused} messages were put on invalid topics`)
  if (faults.length > 0) {
    const more = faults.length > 20 ? `\n… and ${faults.length - 20} more` : ''
    throw new Error(`the ledger does not close:\n${faults.slice(0, 20).join('\n')}${more}`)
  }
  return accounts
}

async function settled({ audit, subscribers, written, settleWithinMs }: LedgerOptions) {
  let open = ''
  const isSettled = async () => {
    const found: string[] = []
    for (const subscriber of subscribers) {
      const matched = expectedKeys(subscriber, written).length
      const statuses = await audit.statuses(subscriber.id)
      const { delivered = 0, dead_letter = 0 } = statuses
      if (delivered + dead_letter !== matched || sumOf(statuses) !== matched) {
        found.push(`${subscriber.name}: ${matched} matched, ${JSON.stringify(statuses)}`)
      }
    }
    if (found.length === 0) {
      const lag = await audit.lag()
      if (Object.values(lag).some((messages) => messages > 0)) found.push(JSON.stringify(lag))
    }
    open = found.join('; ')
    return found.length === 0
  }
  const timeoutMs = settleWithinMs ?? 120_000
  try {
    await until(isSettled, { what: 'the end of all deliveries', timeoutMs, everyMs: 200 })
  } catch (err) {
    throw new Error(
      `${(err as Error).message}: ${open}; lag ${JSON.stringify(await audit.lag())}`,
      {
        cause: err,
      },
    )
  }
}

async function auditSubscriber(
  subscriber: Subscriber,
  { audit, receiver, written, mayRepeat }: LedgerOptions & { mayRepeat: number },
  faults: string[],
): Promise<Account> {
  const { name, id, path, own } = subscriber
  const expected = expectedKeys(subscriber, written)
  const receipts = receiver.receipts(path).map(readReceipt)
  const fault = (text: string) => void faults.push(`${name}: ${text}`)
  const bare = receiver.receipts(path).filter(({ headers }) => headers[ownHeader.name] !== own)
  if (bare.length > 0) fault(`${bare.length} attempts without the headers of the policy`)
  const { firstAt, eventOf, timesOf } = countReceipts(receipts, expected, fault)

  const taken = Array.from(
    timesOf,
    ([event, times]) => times - (subscriber.refused.get(event) ?? 0),
  )
  const repeated = taken.reduce((sum, times) => sum + Math.max(0, times - 1), 0)
  const { dead_letter: dead = 0 } = await audit.statuses(id)
  const untaken = taken.filter((times) => times === 0).length
  if (dead < untaken || dead > untaken + mayRepeat) {
    fault(`${untaken} deliveries were never taken, and ${dead} are dead letters`)
  }
  if (repeated > mayRepeat) fault(`${repeated} deliveries were repeated, more than ${mayRepeat}`)

  const positions = new Map(
    (await audit.jobs(id)).map(({ body }, index) => [keyOf(JSON.parse(body.toString())), index]),
  )
  const pairs = consecutivePairs(written.stories.filter(subscriber.wants))
  for (const [key, next] of pairs) {
    if ((positions.get(key) ?? -1) >= (positions.get(next) ?? -1)) {
      fault(`${next} stands before ${key} on the deliveries topic`)
    }
  }
  const aheadMs = pairs.map(([key, next]) => (firstAt.get(key) ?? 0) - (firstAt.get(next) ?? 0))
  const late = aheadMs.filter((ms) => ms > attemptTimeoutMs).length
  if (late > mayRepeat) fault(`${late} changes came long after a later one`)
  checkOrder(subscriber, { pairs, firstAt, eventOf }, fault)
  const overtaken = aheadMs.filter((ms) => ms > 0).length
  return {
    subscriber: name,
    matched: expected.length,
    received: receipts.length,
    dead,
    repeated,
    overtaken,
  }
}

type Order = Pick<LedgerCount, 'firstAt' | 'eventOf'> & {
  pairs: readonly [key: string, next: string][]
}

/**
 * No change comes before the one before it was accepted. One that never was is a dead letter. Only
 * the subscription with a policy is ordered.
 */
function checkOrder(
  { own, accepted }: Subscriber,
  { pairs, firstAt, eventOf }: Order,
  fault: (text: string) => void,
): void {
  if (own === undefined) return
  for (const [key, next] of pairs) {
    const acceptedAt = accepted.get(eventOf.get(key) ?? '') ?? 0
    if (acceptedAt > (firstAt.get(next) ?? Infinity))
      fault(`${next} came before ${key} was accepted`)
  }
}

type LedgerCount = {
  firstAt: Map<string, number>
  eventOf: Map<string, string>
  timesOf: Map<string, number>
}

/**
 * Returns the first arrival and the event of each change, and the number of arrivals of each event.
 * Unexpected arrivals are faults.
 */
function countReceipts(
  receipts: readonly ReturnType<typeof readReceipt>[],
  expected: readonly string[],
  fault: (text: string) => void,
): LedgerCount {
  const firstAt = new Map<string, number>()
  const eventOf = new Map<string, string>()
  const timesOf = new Map<string, number>()
  const known = new Set(expected)
  for (const { key, event, at } of receipts) {
    if (!known.has(key)) fault(`${key} was never written`)
    if (!firstAt.has(key)) firstAt.set(key, at)
    if ((eventOf.get(key) ?? event) !== event) fault(`${key} is two events`)
    eventOf.set(key, event)
    timesOf.set(event, (timesOf.get(event) ?? 0) + 1)
  }
  for (const key of expected) if (!firstAt.has(key)) fault(`${key} was lost`)
  return { firstAt, eventOf, timesOf }
}

/** Pairs each change of a record with the next one. */
function consecutivePairs(stories: readonly Story[]): [key: string, next: string][] {
  return stories.flatMap(({ ref, changes }) => {
    const keys = changes.map((change) => changeKey(ref, change))
    return keys.slice(1).map((next, index): [string, string] => [keys[index] ?? '', next])
  })
}

const sumOf = (statuses: Statuses): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0)

function expectedKeys({ wants }: Subscriber, { stories }: WrittenChange): string[] {
  return stories
    .filter(wants)
    .flatMap(({ ref, changes }) => changes.map((change) => changeKey(ref, change)))
}

export const changeKey = (ref: string, { operation, version }: Story['changes'][number]): string =>
  `${ref}/${operation}/${version}`

export const keyOf = ({ event, record }: EventPayload): string =>
  `${String(record['ref'])}/${event}/${String(record['version'])}`

function readReceipt({ body, at }: Receipt): { key: string; event: string; at: number } {
  const payload = JSON.parse(body) as EventPayload
  return { key: keyOf(payload), event: payload.id, at }
}
