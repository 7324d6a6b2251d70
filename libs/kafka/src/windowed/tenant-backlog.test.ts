import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { AssignedPartition } from './assigned-partition.ts'
import { FlowControl } from './flow-control.ts'

const window = { messages: 16, bytes: 1_000_000 }

/**
 * A log of one partition, read like the consumer reads it. A letter is a message of that tenant.
 */
class LogWorld {
  readonly handedOut: number[] = []
  /** Offsets that were handed out and are not finished. */
  readonly held: number[] = []
  mostHeld = 0
  reads = 0
  /** Number of records that were read, each time. */
  fetched = 0
  /** Offsets of messages that are not due soon when they are first read. */
  readonly late = new Set<number>()
  readonly assignment: AssignedPartition
  readonly #steering: FlowControl
  readonly #log: string[]
  readonly #batch: number
  #position = 0
  #paused = false
  #resume = () => {}

  constructor(log: string, { batch = 5, metadata = '', committed = 0 } = {}) {
    this.#log = log.split('')
    this.#batch = batch
    const at = { topic: 't', partition: 0, committed, metadata, end: log.length }
    this.assignment = new AssignedPartition({ ...at, shared: window })
    this.#position = committed
    const reader = {
      seek: ({ offset }: { offset: string }) => void (this.#position = Number(offset)),
      pause: () => void (this.#paused = true),
      resume: () => void (this.#paused = false),
    }
    this.#steering = new FlowControl(window, reader, (_, then) => void (this.#resume = then))
  }

  append(log: string): void {
    this.#log.push(...log.split(''))
  }

  /** @returns false when there was nothing to read */
  read(): boolean {
    const batch = this.#log.slice(this.#position, this.#position + this.#batch)
    if (this.#paused || batch.length === 0) return false
    this.reads++
    this.fetched += batch.length
    const first = this.#position
    const position = first + batch.length
    this.#position = position
    const { backlog } = this.assignment
    backlog?.begin()
    let next = first
    let postponedMs: number | null = 0
    for (const tenant of batch) {
      const isLate = () => (this.late.has(next) ? 2 : 0)
      postponedMs = this.assignment.postponedMs(next, isLate, 1)
      if (postponedMs !== null) break
      const offset = next++
      if (this.assignment.take(offset, 1, () => tenant) === 'new') this.#handOut(offset)
      if (backlog?.hasEnough) break
    }
    this.assignment.end = this.#log.length
    this.#steering.wasRead(this.assignment, { next, position, postponedMs: postponedMs ?? 0 })
    return true
  }

  /** The time of the postponed message has come. */
  timePasses(): void {
    const resume = this.#resume
    this.#resume = () => {}
    resume()
  }

  readAll(): void {
    while (this.read());
  }

  finish(offset: number): void {
    this.held.splice(this.held.indexOf(offset), 1)
    this.assignment.finish(offset)
    this.assignment.position()
    this.#steering.steer(this.assignment)
  }

  finishNth(nth: number): void {
    this.finish(this.held[nth % this.held.length] ?? -1)
  }

  /** Reads all that can be read, and finishes it. */
  finishAll(): void {
    for (this.readAll(); this.held.length > 0; this.readAll()) this.finish(this.held[0] ?? -1)
  }

  tenantsOf(offsets: readonly number[]): string {
    return offsets.map((offset) => this.#log[offset]).join('')
  }

  #handOut(offset: number): void {
    this.handedOut.push(offset)
    this.held.push(offset)
    this.mostHeld = Math.max(this.mostHeld, this.held.length)
  }
}

const of = (world: LogWorld, tenant: string) =>
  world.handedOut.filter((offset) => world.tenantsOf([offset]) === tenant)

describe('TenantBacklog', () => {
  it('hands out messages of others behind a flood, before any message of the flood ends', () => {
    const world = new LogWorld('A'.repeat(500) + 'B'.repeat(2) + 'A'.repeat(500) + 'C')
    world.readAll()
    expect(of(world, 'B')).toEqual([500, 501])
    expect(of(world, 'C')).toEqual([1_002])
    expect(of(world, 'A')).toEqual(Array.from({ length: 12 }, (_, n) => n))
  })

  it('keeps the order of waiting messages, and hands out all of them', () => {
    const world = new LogWorld('A'.repeat(100))
    for (let late = 0; late < 20; late++) {
      world.readAll()
      world.finish(world.held[0] ?? -1)
      world.append('AB')
    }
    for (world.readAll(); world.held.length > 0; world.readAll()) world.finish(world.held[0] ?? -1)
    expect(world.handedOut).toHaveLength(140)
    for (const tenant of 'AB') {
      expect(of(world, tenant)).toEqual(of(world, tenant).toSorted((a, b) => a - b))
    }
    expect(world.assignment.backlog?.waiting).toBe(0)
    expect(world.assignment.position()).toEqual({ offset: 140, metadata: '', complete: true })
  })

  it('shares the window among tenants that want more than it has', () => {
    const world = new LogWorld('AAABBB'.repeat(100))
    world.readAll()
    expect(of(world, 'A').length).toBeGreaterThan(4)
    expect(of(world, 'B').length).toBeGreaterThan(3)
    expect(world.held.length).toBeLessThan(window.messages)
  })

  it("reads back seldom, and then most of a tenant's limit at once", () => {
    const world = new LogWorld('A'.repeat(1_000), { batch: 50 })
    for (world.readAll(); world.held.length > 0; world.readAll()) world.finish(world.held[0] ?? -1)
    expect(world.reads).toBeLessThan(20 + 1_000 / 4)
  })

  it.each([
    ['one after the other', 'A'.repeat(3_000) + 'B'.repeat(3_000)],
    ['at the same time', 'AB'.repeat(3_000)],
    ['in turns', ('A'.repeat(300) + 'B'.repeat(300)).repeat(10)],
  ])('reads few records for each that it hands out, with two floods %s', (_, log) => {
    const world = new LogWorld(log)
    for (world.readAll(); world.held.length > 0; world.readAll()) world.finish(world.held[0] ?? -1)
    expect(world.handedOut).toHaveLength(log.length)
    expect(world.fetched / log.length).toBeLessThan(4)
  })

  it('leaves a message in the log until it is due soon, and those behind it', () => {
    const world = new LogWorld('AAAABBBB')
    world.late.add(2).add(5)
    world.readAll()
    expect(world.handedOut).toEqual([0, 1])
    world.finish(0)
    world.finish(1)
    world.append('CC')
    world.readAll()
    expect([world.handedOut.length, world.assignment.open]).toEqual([2, 0])
    world.timePasses()
    world.readAll()
    expect(world.handedOut).toEqual([0, 1, 2, 3, 4])
    world.timePasses()
    world.readAll()
    expect(world.handedOut).toHaveLength(10)
  })

  it('gives each of two floods its turn before the other one ends', () => {
    const world = new LogWorld('A'.repeat(1_000) + 'B'.repeat(1_000))
    const a = (offset: number) => world.tenantsOf([offset]) === 'A'
    for (world.readAll(); world.handedOut.length < 1_000; world.readAll()) {
      world.finish(world.held[0] ?? -1)
    }
    expect(world.handedOut.filter(a).length).toBeLessThan(700)
    expect(world.handedOut.filter((offset) => !a(offset)).length).toBeGreaterThan(300)
  })

  it('misses no new message in a batch that was read back', () => {
    const world = new LogWorld('A'.repeat(20), { batch: 40 })
    world.readAll()
    for (const offset of world.held.slice(0, 6)) world.finish(offset)
    world.append('B'.repeat(10))
    world.readAll()
    const first = of(world, 'B')
    expect(first.length).toBeGreaterThan(0)
    for (; world.held.length > 0; world.readAll()) world.finish(world.held[0] ?? -1)
    expect(world.tenantsOf(world.handedOut.toSorted((a, b) => a - b))).toBe(
      'A'.repeat(20) + 'B'.repeat(10),
    )
  })

  it('continues after a crash with waiting messages in order, and repeats no finished one', () => {
    const log = `${'A'.repeat(50)}B${'A'.repeat(50)}B`
    const first = new LogWorld(log)
    first.readAll()
    for (const offset of of(first, 'B')) first.finish(offset)
    const { offset: committed, metadata } = first.assignment.position()
    const second = new LogWorld(log, { committed, metadata })
    for (second.readAll(); second.held.length > 0; second.readAll()) {
      second.finish(second.held[0] ?? -1)
    }
    expect(of(second, 'B')).toEqual([])
    expect(of(second, 'A')).toHaveLength(100)
  })

  it('goes back at once if it may not read on and holds nothing', () => {
    // Its metadata becomes longer than the limit, because every third message is finished early.
    const flood = `${'OVT'.repeat(8)}${'OTT'.repeat(1_500)}${'T'.repeat(400)}`
    const log = `${'OTT'.repeat(10)}${flood}`
    const world = new LogWorld(log, { batch: 20 })
    const finishAll = (isIt: (tenant: string) => boolean) => {
      for (const offset of world.held.filter((each) => isIt(world.tenantsOf([each])))) {
        world.finish(offset)
      }
    }
    while (world.read()) finishAll((tenant) => tenant === 'O')
    finishAll(() => true)
    while (world.read()) finishAll(() => true)
    expect(world.handedOut).toHaveLength(log.length)
  })

  it('hands out everything once, and each tenant in order, for any reads and finishes', () => {
    const tenants = fc.constantFrom('A', 'A', 'A', 'A', 'B', 'C')
    fc.assert(
      fc.property(
        fc.array(tenants, { maxLength: 300 }),
        fc.array(fc.nat(1_000), { maxLength: 400 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.nat(300), { maxLength: 5 }),
        (log, acts, batch, late) => {
          const [now, later] = [log.slice(0, log.length / 2), log.slice(log.length / 2)]
          const world = new LogWorld(now.join(''), { batch })
          for (const offset of late) world.late.add(offset)
          for (const act of acts) {
            if (act % 50 === 0) world.timePasses()
            else if (act % 3 === 0) world.read()
            else if (act % 3 === 1 && world.held.length > 0) world.finishNth(act)
            else world.append(later.splice(0, act % 30).join(''))
          }
          world.append(later.join(''))
          // One more time, because the last time that passes lets the rest be read.
          for (let waits = 0; waits <= late.length + 1; waits++) {
            world.finishAll()
            world.timePasses()
          }
          expect(world.handedOut.toSorted((a, b) => a - b)).toEqual(log.map((_, n) => n))
          for (const tenant of 'ABC') {
            expect(of(world, tenant)).toEqual(of(world, tenant).toSorted((a, b) => a - b))
          }
          expect(world.mostHeld).toBeLessThanOrEqual(window.messages)
        },
      ),
      { numRuns: 500 },
    )
  })
})
