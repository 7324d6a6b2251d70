import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveryId } from '@surehook/contracts/ids'
import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
} from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type Change, readChange } from '@surehook/matching/read-change'
import type { EventCodec, TypeCodec } from '@surehook/schemas/codec'
import { UndecodableError } from '@surehook/schemas/codec'
import { DeliveryTable, type OpenPlace } from './deliveries/delivery-table.ts'
import { UnexplainedDeliveries } from './deliveries/unexplained.ts'
import { type ShortId, shortIdOf } from './deliveries/uuid-bytes.ts'
import type { KnownVersions } from './known-versions.ts'
import type { LogMarks, Progress, Span } from './log-marks.ts'
import { isTestEvent } from './test-event.ts'

export type Owner = { projectId: string; environment: string; webhookId: string }
export type Scope = { project?: string | undefined; environment?: string | undefined }
export type At = { topic: string; partition: number }

type Codec = Pick<EventCodec, 'change' | 'job' | 'attempt'>

export type ReadingOptions = {
  codec: Codec
  versions: KnownVersions
  marks: Pick<LogMarks, 'matched' | 'dispatched'>
  span: Span
  scope: Scope
  maxDeliveries: number
}

/**
 * Collects from the topics, record by record, what happened to the deliveries of a span. Changes
 * must be read first.
 */
export class LedgerReading {
  readonly table: DeliveryTable
  readonly unexplained = new UnexplainedDeliveries()
  readonly #options: ReadingOptions
  readonly #owners: Owner[] = []
  readonly #ownerIndex = new Map<string, number>()
  #changes = 0

  constructor(options: ReadingOptions) {
    this.#options = options
    this.table = new DeliveryTable(options.maxDeliveries)
  }

  /** The number of changes in the span. */
  get changes(): number {
    return this.#changes
  }

  ownerOf(subscription: number): Owner {
    const owner = this.#owners[subscription]
    if (owner === undefined) throw new Error('no such subscription in this reading')
    return owner
  }

  /** Adds a record of `changes` in the span and its expected deliveries. */
  async addChange({ partition }: At, message: KafkaMessage): Promise<void> {
    const { codec, versions, marks } = this.#options
    const change = await this.#ownChange(codec.change, message)
    if (change === null) return
    this.#changes += 1
    const place = { ...change, writtenAt: Number(message.timestamp) }
    const ids = versions.matching(change, place.writtenAt)
    if (ids.length === 0) return
    const event = this.table.addEvent(change.event.id)
    const isDue = isFinished(marks.matched.get(partition), Number(message.offset))
    for (const webhookId of ids) {
      const id = shortIdOf(deliveryId(change.event.id, webhookId))
      if (id === null) continue
      const subscription = this.#ownerOf({ ...change.event, webhookId })
      const index = this.table.add(id, { kind: 'matched', subscription, event })
      if (isDue) this.table.setDue(index)
      if (versions.mayHaveComeLate(webhookId, place)) this.table.setUncertain(index)
    }
  }

  /** Adds a record of `webhook.deliveries`. */
  async addJob(at: At, message: KafkaMessage): Promise<void> {
    const job = await decoded(this.#options.codec.job, message)
    if (job === null || !this.#isInScope(job)) return
    const id = shortIdOf(job.deliveryId)
    if (id === null) return
    const known = this.table.find(id)
    const index = known >= 0 ? known : this.#addOther(id, job)
    if (index < 0) return
    this.table.setMade(index)
    if (this.#isOpen(at, message)) this.table.setOpen(index, placeOf(at.topic, job), job.step)
  }

  /** Adds a record of a topic that shows where a job went. */
  async addPlace(at: At, message: KafkaMessage): Promise<void> {
    if (at.topic === attemptsTopic) return this.#addMove(message)
    if (at.topic !== deadLetterTopic && !this.#isOpen(at, message)) return
    const job = await decoded(this.#options.codec.job, message)
    const index = job === null ? -1 : this.#find(job.deliveryId)
    if (job === null || index < 0) return
    if (at.topic === deadLetterTopic) this.table.setLetter(index)
    else this.table.setOpen(index, placeOf(at.topic, job), job.step)
  }

  /**
   * Checks a record of `changes` in or around the span against jobs that no change of the span
   * explains.
   */
  async explain(message: KafkaMessage, isInSpan: boolean): Promise<void> {
    const { codec, versions } = this.#options
    if (!this.unexplained.mayBeOf(message)) return
    const change = await this.#ownChange(codec.change, message)
    if (change === null) return
    const { walPosition } = change
    const place = { walPosition, writtenAt: Number(message.timestamp) }
    for (const { index, webhookId } of this.unexplained.take(change.event.id)) {
      // A change written outside the span belongs to another span.
      if (!isInSpan) this.table.setKind(index, 'foreign')
      else if (!versions.isSure(webhookId, place) || versions.mayHaveComeLate(webhookId, place)) {
        this.table.setKind(index, 'unverified')
      }
    }
  }

  async #addMove(message: KafkaMessage): Promise<void> {
    const transition = await decoded(this.#options.codec.attempt, message)
    const index = transition === null ? -1 : this.#find(transition.deliveryId)
    if (transition !== null && index >= 0) this.table.setTransition(index, transition)
  }

  /** @returns -1 for a job of another span */
  #addOther(id: ShortId, job: DeliveryJob): number {
    const { from, to } = this.#options.span
    if (job.createdAt < from || job.createdAt >= to) return -1
    const { subscriptionId: webhookId } = job
    const isAsked = job.redeliveryOf !== null || isTestEvent(job)
    const index = this.table.add(id, {
      kind: isAsked ? 'asked' : 'unexplained',
      subscription: this.#ownerOf({ ...job, webhookId }),
      event: this.table.addEvent(job.eventId),
    })
    if (!isAsked) this.unexplained.add(job.eventId, { index, webhookId })
    return index
  }

  #isOpen({ topic, partition }: At, { offset }: KafkaMessage): boolean {
    const progress = this.#options.marks.dispatched.get(`${topic}/${partition}`)
    return !isFinished(progress, Number(offset))
  }

  #find(id: string): number {
    const short = shortIdOf(id)
    return short === null ? -1 : this.table.find(short)
  }

  async #ownChange(codec: Codec['change'], message: KafkaMessage): Promise<Change | null> {
    const read = await readChange(codec, message)
    return 'change' in read && this.#isInScope(read.change.event) ? read.change : null
  }

  #isInScope({ projectId, environment }: { projectId: string; environment: string }): boolean {
    const { scope } = this.#options
    return (
      (scope.project ?? projectId) === projectId &&
      (scope.environment ?? environment) === environment
    )
  }

  #ownerOf({ projectId, environment, webhookId }: Owner): number {
    const known = this.#ownerIndex.get(webhookId)
    if (known !== undefined) return known
    const index = this.#owners.push({ projectId, environment, webhookId }) - 1
    this.#ownerIndex.set(webhookId, index)
    return index
  }
}

function placeOf(topic: string, { attempt }: DeliveryJob): OpenPlace {
  if (topic === pausedTopic) return 'paused'
  // A job whose URL was changed is on the topic of new jobs a second time.
  return topic === deliveriesTopic && attempt === 1 ? 'pending' : 'retrying'
}

/** Returns whether a group with this progress has finished an offset. */
export function isFinished(progress: Progress | undefined, offset: number): boolean {
  if (progress === undefined) return false
  const { committed, finished } = progress
  if (offset < committed) return true
  let [low, high] = [0, finished.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const [from, to] = finished[middle] ?? [0, 0]
    if (offset < from) high = middle
    else if (offset > to) low = middle + 1
    else return true
  }
  return false
}

/** Returns `null` for an undecodable record, which its reader has refused. */
async function decoded<T>(codec: TypeCodec<T>, { value }: KafkaMessage): Promise<T | null> {
  if (value === null) return null
  try {
    const read = codec.decode(value)
    return read instanceof Promise ? await read : read
  } catch (err) {
    if (err instanceof UndecodableError) return null
    throw err
  }
}
