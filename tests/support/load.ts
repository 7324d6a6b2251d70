import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeOperation } from '@surehook/contracts/events'
import type { Answer } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'

export type Change = { operation: ChangeOperation; version: number }

/** What happened to one record; `ref` is in the record, and never used twice. */
export type Story = {
  ref: string
  lane: 'even' | 'odd'
  /** In commit order: what was answered with success, or was seen to have happened. */
  changes: Change[]
}

export type Written = {
  stories: readonly Story[]
  /** Records of inserts whose answer was lost, and that are not in the table. */
  absent: ReadonlySet<string>
  /** Tries that were answered with 503 or not at all. */
  unanswered: number
}

export type Load = {
  /** Resolves when so many changes were acknowledged. */
  reached(changes: number): Promise<void>
  readonly done: Promise<Written>
}

export type LoadOptions = {
  changes: number
  /** Records that are written at the same time. */
  concurrency?: number
  /** How long one change may stay without a success. */
  patienceMs?: number
}

export const loadColumns = { ref: 'text', version: 'integer', lane: 'text' }

const changesPerRecord = 4
const retryMs = 100

/** Begins to write `orders` through the gateway, whatever happens to the services meanwhile. */
export function startLoad(tenant: Tenant, options: LoadOptions): Load {
  const load = new RunningLoad(tenant, options)
  const done = load.run()
  // Whoever waits for progress hears of the failure too.
  done.catch((err: unknown) => load.failed(err))
  return { reached: (changes) => load.reached(changes), done }
}

class RunningLoad {
  readonly #tenant: Tenant
  readonly #options: Required<LoadOptions>
  readonly #stories: Story[] = []
  readonly #uncertain: Story[] = []
  readonly #waiting: { at: number; done: PromiseWithResolvers<void> }[] = []
  #acknowledged = 0
  #unanswered = 0
  #nextRecord = 0

  constructor(tenant: Tenant, options: LoadOptions) {
    this.#tenant = tenant
    this.#options = { concurrency: 16, patienceMs: 45_000, ...options }
  }

  async reached(changes: number): Promise<void> {
    if (this.#acknowledged >= changes) return
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ at: changes, done })
    await done.promise
  }

  failed(err: unknown): void {
    for (const { done } of this.#waiting.splice(0)) done.reject(err)
  }

  async run(): Promise<Written> {
    const records = Math.ceil(this.#options.changes / changesPerRecord)
    const writer = async () => {
      while (this.#nextRecord < records) await this.#writeRecord(this.#nextRecord++)
    }
    await Promise.all(Array.from({ length: this.#options.concurrency }, writer))
    return {
      stories: this.#stories,
      absent: await this.#settleUncertain(),
      unanswered: this.#unanswered,
    }
  }

  /** Each change waits for the answer to the one before; every third record is deleted in the end. */
  async #writeRecord(record: number): Promise<void> {
    const { story, id } = await this.#insert(record % 2 === 0 ? 'even' : 'odd')
    const deletes = record % 3 === 0
    for (let version = 2; version < changesPerRecord; version++) await this.#update(id, story)
    if (deletes) await this.#delete(id, story)
    else await this.#update(id, story)
  }

  /** A try without an answer leaves a record behind that may be there: the next is another one. */
  async #insert(lane: Story['lane']): Promise<{ story: Story; id: string }> {
    for (const deadline = this.#deadline(); ; await this.#pause(deadline)) {
      const story: Story = { ref: randomUUID(), lane, changes: [] }
      const record = { ref: story.ref, lane, version: 1 }
      const answer = await this.#try(201, () => this.#tenant.rest('POST orders', record))
      if (answer === null) {
        this.#uncertain.push(story)
        continue
      }
      this.#stories.push(story)
      this.#made(story, { operation: 'INSERT', version: 1 })
      return { story, id: answer.body.id }
    }
  }

  /** Repeated until answered: a repetition of a change that was made changes nothing. */
  async #update(id: string, story: Story): Promise<void> {
    const version = lastVersion(story) + 1
    for (const deadline = this.#deadline(); ; await this.#pause(deadline)) {
      const answer = await this.#try(200, () =>
        this.#tenant.rest(`PATCH orders/${id}`, { version }),
      )
      if (answer !== null) return this.#made(story, { operation: 'UPDATE', version })
    }
  }

  async #delete(id: string, story: Story): Promise<void> {
    const change: Change = { operation: 'DELETE', version: lastVersion(story) }
    const deadline = this.#deadline()
    for (let tries = 1; ; tries++) {
      // Not found after a try without an answer: that one was made.
      const expected = tries === 1 ? [200] : [200, 404]
      const answer = await this.#try(expected, () => this.#tenant.rest(`DELETE orders/${id}`))
      if (answer !== null) return this.#made(story, change)
      await this.#pause(deadline)
    }
  }

  /** A row and its event commit together: an insert that is in the table must be heard of. */
  async #settleUncertain(): Promise<Set<string>> {
    const absent = new Set<string>()
    for (const story of this.#uncertain) {
      const where = encodeURIComponent(JSON.stringify({ ref: story.ref }))
      const found = await this.#tenant.rest(`GET orders?where=${where}`)
      if (found.status !== 200) throw new Error(`GET: ${found.status} ${found.text}`)
      if (found.body.records.length === 0) absent.add(story.ref)
      else this.#stories.push({ ...story, changes: [{ operation: 'INSERT', version: 1 }] })
    }
    return absent
  }

  #made(story: Story, change: Change): void {
    story.changes.push(change)
    this.#acknowledged++
    for (const { at, done } of this.#waiting) if (at <= this.#acknowledged) done.resolve()
  }

  /** Null when whether it was made is not known. Any other failure than 503 is one of the product. */
  async #try(expected: number | number[], call: () => Promise<Answer>): Promise<Answer | null> {
    const answer = await call().catch(() => null)
    if (answer === null || answer.status === 503) {
      if (answer !== null && !answer.headers.has('retry-after')) {
        throw new Error('503 without Retry-After')
      }
      this.#unanswered++
      return null
    }
    if ([expected].flat().includes(answer.status)) return answer
    throw new Error(`a write was answered with ${answer.status}: ${answer.text}`)
  }

  #deadline(): number {
    return Date.now() + this.#options.patienceMs
  }

  async #pause(deadline: number): Promise<void> {
    if (Date.now() > deadline) {
      throw new Error(`a write had no success in ${this.#options.patienceMs} ms`)
    }
    await wait(retryMs)
  }
}

const lastVersion = ({ changes }: Story): number => changes.at(-1)?.version ?? 0
