import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeOperation } from '@surehook/contracts/events'
import type { Records } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { type ChangeTransport, restTransport } from '../change-transports.ts'

export type Change = { operation: ChangeOperation; version: number }

/** The changes of one record. `ref` is a unique value in the record. */
export type Story = {
  ref: string
  table: string
  lane: 'even' | 'odd'
  /** In commit order: changes that were acknowledged, or seen to have been made. */
  changes: Change[]
}

export type WrittenChange = {
  stories: readonly Story[]
  /** Records whose insert got no answer and that are not in the table. */
  absent: ReadonlySet<string>
  /** Tries that got 503 or no answer. */
  unanswered: number
}

export type Load = {
  /** Resolves when this many changes were acknowledged. */
  reached(changes: number): Promise<void>
  /** Ends the load after the records in progress. */
  stop(): void
  readonly done: Promise<WrittenChange>
}

export type LoadOptions = {
  /** Without it the load continues until `stop`. */
  changes?: number
  /** How many records are written at the same time. */
  concurrency?: number
  /** Writers use them in turn. The default is REST. */
  transports?: readonly ChangeTransport[]
  /** Each writer pauses this long after each change. */
  pauseMs?: number
  /** Called with each acknowledged change and its transport. */
  onMade?: (change: PlannedChange) => void
  /** How long one change may remain without success. */
  patienceMs?: number
}

export type PlannedChange = { story: Story; change: Change; transport: ChangeTransport }

export const loadColumns = { ref: 'text', version: 'integer', lane: 'text' }

const changesPerRecord = 4
const retryMs = 100

/** Starts to write records, whatever happens to the services. */
export function startLoad(tenant: Tenant, options: LoadOptions): Load {
  const load = new RunningLoad(tenant, options)
  const done = load.run()
  // A failure also rejects the promises of `reached`.
  done.catch((err: unknown) => load.failed(err))
  return { reached: (changes) => load.reached(changes), stop: () => load.stop(), done }
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
  #stopped = false

  constructor(tenant: Tenant, options: LoadOptions) {
    this.#tenant = tenant
    this.#options = {
      changes: Infinity,
      concurrency: 16,
      transports: [restTransport(tenant)],
      pauseMs: 0,
      onMade: () => {},
      patienceMs: 45_000,
      ...options,
    }
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

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<WrittenChange> {
    const { changes, concurrency, transports } = this.#options
    const records = Math.ceil(changes / changesPerRecord)
    const writer = async (transport: ChangeTransport) => {
      while (this.#nextRecord < records && !this.#stopped) {
        await this.#writeRecord(this.#nextRecord++, transport)
      }
    }
    const through = Array.from({ length: concurrency }, (_, n) => transports[n % transports.length])
    await Promise.all(through.filter((transport) => transport !== undefined).map(writer))
    return {
      stories: this.#stories,
      absent: await this.#settleUncertain(),
      unanswered: this.#unanswered,
    }
  }

  /**
   * Each change waits for the answer to the one before. Every third record is deleted in the end.
   */
  async #writeRecord(record: number, transport: ChangeTransport): Promise<void> {
    const { story, id } = await this.#insert(record % 2 === 0 ? 'even' : 'odd', transport)
    const deletes = record % 3 === 0
    for (let version = 2; version < changesPerRecord; version++) {
      await this.#update(id, story, transport)
    }
    if (deletes) await this.#delete(id, story, transport)
    else await this.#update(id, story, transport)
  }

  /** After an unanswered try the record may exist, so the next try inserts another one. */
  async #insert(
    lane: Story['lane'],
    transport: ChangeTransport,
  ): Promise<{ story: Story; id: string }> {
    const { table } = transport
    let story: Story = { ref: randomUUID(), table, lane, changes: [] }
    for (const deadline = this.#deadline(); ; await this.#pause(deadline)) {
      const id = await transport.insert({ ref: story.ref, lane, version: 1 })
      if (id !== null) {
        this.#stories.push(story)
        await this.#made({ story, change: { operation: 'INSERT', version: 1 }, transport })
        return { story, id }
      }
      this.#unanswered++
      if (transport.repeatsInserts) continue
      this.#uncertain.push(story)
      story = { ref: randomUUID(), table, lane, changes: [] }
    }
  }

  /** Repeats until there is an answer. Repeating a change that was made changes nothing. */
  async #update(id: string, story: Story, transport: ChangeTransport): Promise<void> {
    const version = lastVersion(story) + 1
    const deadline = this.#deadline()
    while (!(await transport.update(id, version))) {
      this.#unanswered++
      await this.#pause(deadline)
    }
    await this.#made({ story, change: { operation: 'UPDATE', version }, transport })
  }

  async #delete(id: string, story: Story, transport: ChangeTransport): Promise<void> {
    const deadline = this.#deadline()
    // A 404 after an unanswered try means that the try was executed.
    for (let again = false; !(await transport.delete(id, again)); again = true) {
      this.#unanswered++
      await this.#pause(deadline)
    }
    await this.#made({
      story,
      change: { operation: 'DELETE', version: lastVersion(story) },
      transport,
    })
  }

  /** A row and its event commit together, so an insert that is in the table must be delivered. */
  async #settleUncertain(): Promise<Set<string>> {
    const absent = new Set<string>()
    for (const story of this.#uncertain) {
      const where = encodeURIComponent(JSON.stringify({ ref: story.ref }))
      const found = await this.#tenant.rest<Records>(`GET orders?where=${where}`)
      if (found.status !== 200) throw new Error(`GET: ${found.status} ${found.text}`)
      if (found.body.records.length === 0) absent.add(story.ref)
      else this.#stories.push({ ...story, changes: [{ operation: 'INSERT', version: 1 }] })
    }
    return absent
  }

  async #made(made: PlannedChange): Promise<void> {
    made.story.changes.push(made.change)
    this.#acknowledged++
    this.#options.onMade(made)
    for (const { at, done } of this.#waiting) if (at <= this.#acknowledged) done.resolve()
    if (this.#options.pauseMs > 0) await wait(this.#options.pauseMs)
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
