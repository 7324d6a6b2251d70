import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { until } from '@surehook/testing/until'
import type { DeliveryAudit } from './delivery-audit.ts'
import {
  circuitFaults,
  countCircuits,
  deadLetterFaults,
  missingEvents,
  type PublishedEvents,
} from './published-events.ts'
import { answering, type Subscriber } from './subscribers.ts'

export type EventAccount = {
  /** Dead letters with an event. */
  deadLetters: number
  /** Opened circuits with an event. */
  openings: number
  faults: readonly string[]
}

export type CloseOptions = {
  audit: Pick<DeliveryAudit, 'deadLetters' | 'statuses' | 'lag'>
  /** False if an event of a circuit may be lost: Redis loses circuits. */
  hasCircuits: boolean
  withinMs: number
}

type WatchState = {
  tenant: Tenant
  subscribers: readonly Subscriber[]
  deadLetterPath: string
  circuitPath: string
}

/**
 * Follows the events about the deliveries of two tenants. The receiver of the second one fails from
 * the beginning: one delivery becomes a dead letter, and its circuit opens. A subscriber of these
 * events fails as well, which must cause no events.
 */
export class EventWatch {
  readonly #receiver: Receiver
  readonly #watched: readonly [WatchState, WatchState]
  readonly #failing: Subscriber
  /** A subscription to `_deliveries` whose receiver fails. */
  readonly #failingListenerId: string

  private constructor(
    receiver: Receiver,
    watched: readonly [WatchState, WatchState],
    { failing, failingListenerId }: { failing: Subscriber; failingListenerId: string },
  ) {
    this.#receiver = receiver
    this.#watched = watched
    this.#failing = failing
    this.#failingListenerId = failingListenerId
  }

  /** @param neighbour a new tenant */
  static async open(
    receiver: Receiver,
    { tenant, neighbour }: { tenant: Tenant; neighbour: Tenant },
    subscribers: readonly Subscriber[],
  ): Promise<EventWatch> {
    await neighbour.putTable('orders')
    const path = `/failing-${randomUUID()}`
    const { id } = await neighbour.subscribe(receiver.url(path))
    const subscription = { name: 'failing', id, path, wants: () => true, own: undefined }
    const failing = answering(receiver, subscription)
    failing.away = true
    const listener = `/failing-listener-${randomUUID()}`
    receiver.answer(listener, () => ({ status: 503 }))
    const { id: failingListenerId } = await neighbour.subscribe(
      receiver.url(listener),
      ofDeadLetters,
    )
    const watched = await Promise.all([
      watch(receiver, tenant, subscribers),
      watch(receiver, neighbour, [failing]),
    ])
    return new EventWatch(receiver, watched, { failing, failingListenerId })
  }

  /** Call it while everything works: the delivery then fails during what comes. */
  async fail(): Promise<void> {
    await this.#watched[1].tenant.insert({ status: 'refused' })
  }

  /**
   * Waits for the events that must come, when nothing else is in progress. Then compares all that
   * came with the history.
   */
  async close(options: CloseOptions): Promise<EventAccount> {
    const { audit, hasCircuits, withinMs } = options
    const [, { tenant: neighbour }] = this.#watched
    let missing: string[] = []
    const isComplete = async () => {
      missing = await this.#missing(audit, hasCircuits)
      return missing.length === 0
    }
    const faults: string[] = []
    try {
      await until(async () => (await audit.statuses(this.#failing.id)).dead_letter === 1, {
        what: 'the dead letter of the neighbour',
        timeoutMs: withinMs,
      })
      // A killed owner of the endpoint may have left an event unpublished. The next owner publishes
      // it with its next delivery.
      this.#failing.away = false
      await neighbour.insert({ status: 'accepted' })
      await until(isComplete, { what: 'events about deliveries', timeoutMs: withinMs })
      await letForbiddenCome(audit, withinMs)
    } catch (err) {
      faults.push([(err as Error).message, ...missing.slice(0, 10)].join('; '))
    }
    const account = { deadLetters: 0, openings: 0 }
    for (const watched of this.#watched) {
      const published = this.#published(watched)
      const dead = await audit.deadLetters(watched.tenant)
      faults.push(...deadLetterFaults(published, dead), ...circuitFaults(published, this.#receiver))
      const events = new Set(published.deadLetterEvents.map(({ id }) => id)).size
      if (events === 0) faults.push(`no dead letter of ${watched.tenant.projectId} was made`)
      account.deadLetters += events
      account.openings += countCircuits(published.circuitEvents).opened
    }
    return { ...account, faults }
  }

  async #missing(audit: CloseOptions['audit'], hasCircuits: boolean): Promise<string[]> {
    const missing: string[] = []
    for (const watched of this.#watched) {
      const published = this.#published(watched)
      missing.push(...missingEvents(published, await audit.deadLetters(watched.tenant)))
      const { opened, closed } = countCircuits(published.circuitEvents)
      if (hasCircuits && closed < opened) missing.push(`${opened - closed} closed circuits`)
    }
    const [, neighbour] = this.#watched
    if (hasCircuits && countCircuits(this.#published(neighbour).circuitEvents).opened === 0) {
      missing.push('the circuit of the neighbour')
    }
    const { dead_letter: deadLetters = 0 } = await audit.statuses(this.#failingListenerId)
    return deadLetters === 1 ? missing : [...missing, 'the dead letter about a dead letter']
  }

  #published({ tenant, subscribers, deadLetterPath, circuitPath }: WatchState): PublishedEvents {
    const payloads = (path: string) =>
      this.#receiver.receipts(path).map(({ body }) => JSON.parse(body) as EventPayload)
    return {
      tenant,
      subscribers,
      deadLetterEvents: payloads(deadLetterPath),
      circuitEvents: payloads(circuitPath),
    }
  }

  forget(): void {
    const paths = this.#watched.flatMap(({ deadLetterPath, circuitPath }) => [
      deadLetterPath,
      circuitPath,
    ])
    for (const path of [...paths, this.#failing.path]) this.#receiver.forget(path)
  }
}

/**
 * Gives events that must not come the time to come: a relay publishes within a second, and then no
 * group may have a backlog.
 */
async function letForbiddenCome(audit: Pick<DeliveryAudit, 'lag'>, withinMs: number) {
  await delay(1_000)
  const isRead = async () => Object.values(await audit.lag()).every((messages) => messages === 0)
  await until(isRead, { what: 'every group to read everything', timeoutMs: withinMs })
}

const ofDeadLetters = { table: '_deliveries', events: ['INSERT'] }
const ofCircuits = { table: '_endpoints', events: ['UPDATE'] }

async function watch(
  receiver: Receiver,
  tenant: Tenant,
  subscribers: readonly Subscriber[],
): Promise<WatchState> {
  const deadLetterPath = `/dead-letters-${randomUUID()}`
  const circuitPath = `/circuits-${randomUUID()}`
  await tenant.subscribe(receiver.url(deadLetterPath), ofDeadLetters)
  await tenant.subscribe(receiver.url(circuitPath), ofCircuits)
  return { tenant, subscribers, deadLetterPath, circuitPath }
}
