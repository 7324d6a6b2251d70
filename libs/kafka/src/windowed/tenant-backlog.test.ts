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
  readonly assignment: AssignedPartition
  readonly #steering: FlowControl
  readonly #log: string[]
  readonly #batch: number
  #position = 0
  #paused = false

  constructor(log: string, { batch = 5, metadata = '', committed = 0 } = {}) {
    this.#log = log.split('')
    this.#batch = batch
    const at = { topic: 't', partition: 0, committed, metadata, end: log.length }
    this.assignment = new AssignedPartition({ ...at, shared: window })
    this.#position = committed
    this.#steering = new FlowControl(window, {
      seek: ({ offset }) => void (this.#position = Number(offset)),
      pause: () => void (this.#paused = true),
      resume: () => void (this.#paused = false),
    })
  }

  append(log: string): void {
    this.#log.push(...log.split(''))
  }

  /** @returns false when there was nothing to read */
  read(): boolean {
    const batch = this.#log.slice(this.#position, this.#position + this.#batch)
    if (this.#paused || batch.length === 0) return false
    this.reads++
    const first = this.#position
    const position = first + batch.length
    this.#position = position
    const { backlog } = this.assignment
    backlog?.begin()
    let next = first
    for (const tenant of batch) {
      const offset = next++
      if (this.assignment.take(offset, 1, () => tenant) === 'new') this.#handOut(offset)
      if (backlog?.hasEnough) break
    }
    this.assignment.end = this.#log.length
    this.#steering.wasRead(this.assignment, { next, position })
    return true
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
        (log, acts, batch) => {
          const [now, later] = [log.slice(0, log.length / 2), log.slice(log.length / 2)]
          const world = new LogWorld(now.join(''), { batch })
          for (const act of acts) {
            const { held } = world
            if (act % 3 === 0) world.read()
            else if (act % 3 === 1 && held.length > 0) world.finish(held[act % held.length] ?? -1)
            else world.append(later.splice(0, act % 30).join(''))
          }
          world.append(later.join(''))
          for (world.readAll(); world.held.length > 0; world.readAll()) {
            world.finish(world.held[0] ?? -1)
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
