import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Consumer } from 'kafkajs'
import { pino } from 'pino'
import { PartitionReader } from '../consumer/partition-reader.ts'
import type { LogEnds } from '../offsets/log-ends.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import { AssignedPartitions } from './assigned-partitions.ts'
import type { AssignedPartitionsOptions } from './windowed-consumer-options.ts'

type Record = { offset: number; tenant: string }
type Commit = { offset: string; metadata: string | null }

const window = { messages: 16, bytes: 1_000_000 }
const topic = 't'
const partition = 0

/** A log with gaps that outlives the members that read it. */
class Log {
  readonly records: Record[] = []
  end = 0
  commit: Commit = { offset: '-1', metadata: null }

  append(tenants: string, gapBefore = 0): void {
    if (tenants !== '') this.end += gapBefore
    for (const tenant of tenants) this.records.push({ offset: this.end++, tenant })
  }
}

/**
 * A member that reads the log like kafkajs: the next fetch applies a seek, and a join drops its
 * position.
 */
class Member {
  readonly handedOut: Record[] = []
  /** Messages that were handed out and are not finished. */
  readonly held: Record[] = []
  assignment!: AssignedPartition
  readonly assignments: AssignedPartitions
  readonly #log: Log
  #joined = true
  #position = 0
  #seek: number | null = null
  #paused = false

  constructor(log: Log) {
    this.#log = log
    const consumer = {
      seek: ({ offset }: { offset: string }) => void (this.#seek = Number(offset)),
      pause: () => void (this.#paused = true),
      resume: () => void (this.#paused = false),
    } as unknown as Consumer
    const admin = {
      fetchOffsets: async () => [{ topic, partitions: [{ partition, ...log.commit }] }],
    }
    const options = {
      kafka: { admin: () => admin },
      topics: [topic],
      tenantTopics: [topic],
      window,
      handler: {
        assigned: (_partition: number, assignments: Map<string, AssignedPartition>) => {
          this.assignment = assignments.get(topic) as AssignedPartition
        },
      },
      count: { refresh: async () => undefined },
      log: pino({ level: 'silent' }),
    } as unknown as AssignedPartitionsOptions
    this.assignments = new AssignedPartitions(
      options,
      new PartitionReader(() => (this.#joined ? consumer : null)),
      { readLed: async () => [{ topic, partition, start: 0, end: log.end }] } as unknown as LogEnds,
    )
  }

  async join(): Promise<this> {
    this.#joined = true
    this.#seek = null
    this.#paused = false
    this.#position = Math.max(0, Number(this.#log.commit.offset))
    this.assignments.assign(
      { [topic]: [partition] },
      { isContinued: false, mayDrain: false },
      () => {},
    )
    await this.#loaded()
    return this
  }

  async #loaded(): Promise<void> {
    while (!this.assignments.certain || this.assignments.partitions().length === 0) await turn()
  }

  leave(): void {
    this.#joined = false
  }

  /** @returns false when there was nothing to read */
  read(most: number, meanwhile = () => {}): boolean {
    if (!this.#joined || this.#paused) return false
    this.#takeSeek()
    const batch = this.#log.records.filter(({ offset }) => offset >= this.#position).slice(0, most)
    const [first, last] = [batch[0], batch.at(-1)]
    if (first === undefined || last === undefined) return false
    meanwhile()
    if (this.#seek === null) this.#handle(batch, { first, last })
    this.#position = last.offset + 1
    return true
  }

  /** Simulates a leader change: a fetch from the old leader arrives after the seek was applied. */
  readLate(most: number): void {
    if (this.#seek === null) return
    this.#seek = null
    this.read(most)
  }

  readAll(most: number): void {
    while (this.read(most));
  }

  finish(record: Record | undefined): void {
    if (record === undefined) return
    this.held.splice(this.held.indexOf(record), 1)
    this.assignment.finish(record.offset)
    this.assignments.released(this.assignment)
  }

  commit(): void {
    if (!this.#joined) return
    const { offset, metadata } = this.assignment.position()
    this.#log.commit = { offset: String(offset), metadata }
  }

  finishAll(most: number): void {
    for (this.readAll(most); this.held.length > 0; this.readAll(most)) this.finish(this.held[0])
    this.commit()
  }

  #takeSeek(): void {
    this.#position = this.#seek ?? this.#position
    this.#seek = null
  }

  #handle(batch: Record[], { first, last }: { first: Record; last: Record }): void {
    const { assignment } = this
    if (this.assignments.isAhead(assignment, first.offset)) return
    const position = last.offset + 1
    let next = position
    assignment.backlog?.begin()
    for (const record of batch) {
      const taken = assignment.take(record.offset, 1, () => record.tenant)
      if (taken === 'new') {
        this.handedOut.push(record)
        this.held.push(record)
      }
      if (assignment.backlog?.hasEnough) {
        next = record.offset + 1
        break
      }
    }
    assignment.end = this.#log.end
    this.assignments.wasRead(assignment, { next, position })
  }
}

describe('AssignedPartitions', () => {
  it('reads the backlog even if the group was joined again on the way back to it', async () => {
    const log = new Log()
    log.append('A'.repeat(30))
    const member = await new Member(log).join()
    member.readAll(50)
    // All of them are finished while the group is joined again.
    member.leave()
    for (const record of [...member.held]) member.finish(record)
    await member.join()
    member.finishAll(50)
    expect(member.handedOut).toEqual(log.records)
  })

  it('does not mistake earlier fetches for the backlog', async () => {
    const log = new Log()
    log.append('A'.repeat(30))
    const member = await new Member(log).join()
    member.readAll(50)
    log.append('A'.repeat(5))
    for (const record of member.held.slice(0, 10)) member.finish(record)
    member.readLate(50)
    member.finishAll(50)
    expect(member.handedOut).toEqual(log.records)
  })

  it('hands out each offset in the order of its tenant, through any rebalances', async () => {
    const tenants = fc.constantFrom('A', 'A', 'A', 'A', 'B', 'C')
    const runs = fc.array(tenants, { minLength: 1, maxLength: 60 })
    const log = fc.array(fc.record({ tenants: runs, gap: fc.constantFrom(0, 0, 0, 1, 7) }), {
      maxLength: 8,
    })
    const acts = fc.array(fc.nat(10_000), { maxLength: 300 })
    const most = fc.integer({ min: 1, max: 40 })
    await fc.assert(
      fc.asyncProperty(log, acts, most, async (pieces, steps, batch) => {
        const world = new RandomWorld(pieces.map(({ tenants: of, gap }) => [of.join(''), gap]))
        await world.run(steps, batch)
        expect(world.finished).toEqual(world.offsets)
        expect(world.committed).toBe((world.offsets.at(-1) ?? -1) + 1)
        expect(world.disordered).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

class RandomWorld {
  readonly #log = new Log()
  readonly #pieces: [string, number][]
  readonly #finished = new Set<number>()
  /** Offsets that one member got twice, or after a later one of the same tenant. */
  readonly disordered: number[] = []
  #member = new Member(this.#log)

  constructor(pieces: [string, number][]) {
    this.#pieces = pieces
  }

  async run(steps: readonly number[], most: number): Promise<void> {
    this.#append()
    await this.#member.join()
    for (const step of steps) await this.#act(step, most)
    while (this.#pieces.length > 0) this.#append()
    await this.#member.join()
    this.#member.readAll(most)
    while (this.#member.held.length > 0) {
      this.#finish(0)
      this.#member.readAll(most)
    }
    this.#member.commit()
    this.#noteDisorder()
  }

  /** In ascending order. */
  get finished(): number[] {
    return [...this.#finished].toSorted((a, b) => a - b)
  }

  get committed(): number {
    return Number(this.#log.commit.offset)
  }

  get offsets(): number[] {
    return this.#log.records.map(({ offset }) => offset)
  }

  async #act(step: number, most: number): Promise<void> {
    const kind = step % 20
    if (kind < 7) this.#member.read(1 + (step % most), () => step % 3 === 0 && this.#finish(step))
    else if (kind < 14) this.#finish(step)
    else if (kind < 16) this.#append()
    else if (kind === 16) this.#member.commit()
    else if (kind === 17) await this.#member.join()
    else if (kind === 18) this.#member.leave()
    else if (kind === 19 && step % 40 < 20) this.#member.readLate(most)
    else await this.#restart()
  }

  #append(): void {
    const [tenants, gap] = this.#pieces.shift() ?? ['', 0]
    this.#log.append(tenants, gap)
  }

  #finish(step: number): void {
    const { held } = this.#member
    const record = held[step % Math.max(1, held.length)]
    this.#member.finish(record)
    if (record) this.#finished.add(record.offset)
  }

  async #restart(): Promise<void> {
    this.#noteDisorder()
    this.#member = await new Member(this.#log).join()
  }

  #noteDisorder(): void {
    const last = new Map<string, number>()
    for (const { tenant, offset } of this.#member.handedOut) {
      if (offset <= (last.get(tenant) ?? -1)) this.disordered.push(offset)
      last.set(tenant, offset)
    }
  }
}
