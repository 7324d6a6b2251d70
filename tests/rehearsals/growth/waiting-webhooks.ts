import { randomUUID } from 'node:crypto'
import { endpointId } from '@surehook/contracts/ids'
import type { ChangePublisher, NewChange } from '@surehook/publisher'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'

/**
 * `down` and `disabled` answer nothing but 503 until they are back, and `disabled` is deactivated
 * meanwhile: their deliveries are paused. `flaky` refuses one version of records once, and its circuit
 * stays closed. Set a cooldown that outlasts the wait: each time a circuit closes, deliveries lose an
 * attempt.
 */
export type Kind = 'down' | 'disabled' | 'flaky'

export type WaitingOptions = {
  tenant: Tenant
  receiver: Receiver
  /** Webhooks of each kind. Half of them keep the order of a record strictly. */
  perKind: number
  changes: number
  /** The delay of every retry. */
  delayMs: number
}

const table = 'parcels'
const kinds: readonly Kind[] = ['down', 'disabled', 'flaky']
const versions = 4
const refusedVersion = 2
/** So many do not open a circuit, even if their outcomes come in another order. */
const mostRefusedInARow = 2
const perCall = 500
/** The receiver keeps bodies until it is told to forget them. */
const forgetEvery = 1_000
/** An attempt ends after 30 s, and a busy machine may take as long to make it. */
const inFlightMs = 60_000

/** Webhooks whose deliveries wait, and the account of each of these deliveries. */
export class WaitingWebhooks {
  readonly #options: WaitingOptions
  readonly #webhooks: WaitingWebhook[]

  private constructor(options: WaitingOptions, webhooks: WaitingWebhook[]) {
    this.#options = options
    this.#webhooks = webhooks
  }

  static async subscribe(options: WaitingOptions): Promise<WaitingWebhooks> {
    const { tenant, receiver, perKind, changes, delayMs } = options
    const webhooks: WaitingWebhook[] = []
    for (const kind of kinds) {
      for (let n = 0; n < perKind; n++) {
        const path = `/${kind}-${n}-${randomUUID()}`
        const isOrdered = n % 2 === 0
        const policy = isOrdered ? { ordered: 'record' } : {}
        const url = receiver.url(path)
        const { id } = await tenant.subscribe(url, { table, policy })
        const { projectId, environment } = tenant
        const own = { id, endpointId: endpointId({ projectId, environment, url }), isOrdered }
        const webhook = new WaitingWebhook({ kind, ...own, changes, delayMs })
        let nth = 0
        receiver.answer(path, ({ body, at }) => {
          if (++nth % forgetEvery === 0) receiver.forget(path)
          return { status: webhook.take(body, at) }
        })
        webhooks.push(webhook)
      }
    }
    return new WaitingWebhooks(options, webhooks)
  }

  get ids(): string[] {
    return this.#webhooks.map(({ id }) => id)
  }

  /** The webhooks that are not `flaky`. */
  get unavailable(): string[] {
    return this.#webhooks.flatMap(({ kind, id }) => (kind === 'flaky' ? [] : [id]))
  }

  get deliveries(): number {
    return this.#options.changes * this.#webhooks.length
  }

  /** How many deliveries were not accepted yet. */
  get waiting(): number {
    return this.#webhooks.reduce((sum, { waiting }) => sum + waiting, 0)
  }

  get attempts(): number {
    return this.#webhooks.reduce((sum, { attempts }) => sum + attempts, 0)
  }

  /** How many deliveries were accepted more than once. */
  get repeated(): number {
    return this.#webhooks.reduce((sum, { repeated }) => sum + repeated, 0)
  }

  get overtaken(): number {
    return this.#webhooks.reduce((sum, webhook) => sum + webhook.overtaken(), 0)
  }

  async publish(publisher: ChangePublisher): Promise<void> {
    const { tenant, changes } = this.#options
    const { projectId, environment } = tenant
    for (let from = 0; from < changes; from += perCall) {
      const count = Math.min(perCall, changes - from)
      const batch = Array.from({ length: count }, (_, at): NewChange => {
        const index = from + at
        const [recordId, version] = [String(Math.floor(index / versions)), (index % versions) + 1]
        const operation = version === 1 ? 'INSERT' : 'UPDATE'
        const record = { id: recordId, index, version }
        return { projectId, environment, table, recordId, operation, record }
      })
      await publisher.publish(batch)
    }
  }

  async disable(): Promise<void> {
    await this.#setActive(false)
  }

  /** Every webhook is active, its receiver accepts, and its circuit is closed. */
  async comeBack(): Promise<void> {
    for (const webhook of this.#webhooks) webhook.isAway = false
    await this.#setActive(true)
    const { tenant } = this.#options
    for (const webhook of this.#webhooks)
      expectStatus(204, await tenant.rest(`POST _endpoints/${webhook.endpointId}/close`))
  }

  /** What does not add up. */
  faults(mayRepeat: number): string[] {
    return this.#webhooks.flatMap((webhook) => webhook.faults(mayRepeat))
  }

  async #setActive(active: boolean): Promise<void> {
    const { tenant } = this.#options
    for (const { kind, id } of this.#webhooks)
      if (kind === 'disabled') expectStatus(200, await tenant.webhooks(`PATCH /${id}`, { active }))
  }
}

type Webhook = Pick<WaitingOptions, 'changes' | 'delayMs'> & {
  kind: Kind
  id: string
  endpointId: string
  isOrdered: boolean
}

class WaitingWebhook {
  readonly kind: Kind
  readonly id: string
  readonly endpointId: string
  isAway: boolean
  attempts = 0
  repeated = 0
  readonly #of: Webhook
  readonly #firstAt: Float64Array
  readonly #refusedAt: Float64Array
  readonly #accepted: Uint8Array
  readonly #faults: string[] = []
  #acceptedCount = 0
  #refusedInARow = 0

  constructor(of: Webhook) {
    this.#of = of
    this.kind = of.kind
    this.id = of.id
    this.endpointId = of.endpointId
    this.isAway = of.kind !== 'flaky'
    this.#firstAt = new Float64Array(of.changes)
    this.#refusedAt = new Float64Array(of.changes)
    this.#accepted = new Uint8Array(of.changes)
  }

  get waiting(): number {
    return this.#of.changes - this.#acceptedCount
  }

  /** Takes an attempt, and returns the status of the answer. */
  take(body: string, at: number): number {
    const { index } = (JSON.parse(body) as { record: { index: number } }).record
    const isFirst = this.#firstAt[index] === 0
    this.attempts++
    if (isFirst) this.#firstAt[index] = at
    this.#checkTime(index, at)
    this.#checkOrder(index)
    if (this.isAway || (isFirst && this.#isRefusedOnce(index))) {
      this.#refusedAt[index] = at
      this.#refusedInARow++
      return 503
    }
    this.#refusedInARow = 0
    if (this.#accepted[index] === 0) this.#acceptedCount++
    else this.repeated++
    this.#accepted[index] = 1
    return 204
  }

  #isRefusedOnce(index: number): boolean {
    if (this.kind !== 'flaky' || this.#refusedInARow === mostRefusedInARow) return false
    return index % versions === refusedVersion - 1
  }

  #checkTime(index: number, at: number): void {
    const refusedAt = this.#refusedAt[index] ?? 0
    if (refusedAt > 0 && at - refusedAt < this.#of.delayMs)
      this.#faults.push(`change ${index} came ${at - refusedAt} ms after it was refused`)
  }

  #checkOrder(index: number): void {
    const isEarlierOpen = index % versions > 0 && this.#accepted[index - 1] === 0
    if (this.#of.isOrdered && isEarlierOpen)
      this.#faults.push(`change ${index} came before the one before it was accepted`)
  }

  /** How many changes came before the earlier one of their record, because both were in flight. */
  overtaken(leastMs = 0): number {
    let count = 0
    for (let index = 1; index < this.#of.changes; index++) {
      const aheadMs = (this.#firstAt[index - 1] ?? 0) - (this.#firstAt[index] ?? 0)
      if (index % versions > 0 && aheadMs > leastMs) count++
    }
    return count
  }

  faults(mayRepeat: number): string[] {
    const faults = [...this.#faults]
    if (this.waiting > 0) faults.push(`${this.waiting} deliveries were lost`)
    if (this.repeated > mayRepeat) faults.push(`${this.repeated} deliveries were repeated`)
    const late = this.overtaken(inFlightMs)
    if (late > 0) faults.push(`${late} changes came long after a later one of their record`)
    return faults.map((fault) => `${this.kind} ${this.id}: ${fault}`)
  }
}
