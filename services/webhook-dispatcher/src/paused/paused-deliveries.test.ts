import { describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import fc from 'fast-check'
import { PausedWorld } from '../../test/support/paused-world.ts'

const subscriptions = ['a', 'b', 'c']
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ pause: fc.constantFrom(...subscriptions) }) },
  { weight: 4, arbitrary: fc.record({ fetch: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ toggle: fc.constantFrom(...subscriptions) }) },
  { weight: 2, arbitrary: fc.record({ room: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.constant({ tick: true }) },
  { weight: 1, arbitrary: fc.constant({ rejoin: true }) },
  { weight: 1, arbitrary: fc.record({ crash: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ again: fc.boolean() }) },
)

function play(world: PausedWorld, actions: readonly object[]): void {
  let arrival = 0
  for (const step of actions) {
    if ('pause' in step) world.pause(String(step.pause), arrival++)
    if ('fetch' in step) world.fetch(Number(step.fetch))
    if ('room' in step) world.getRoom(world.room + Number(step.room))
    if ('toggle' in step) {
      const id = String(step.toggle)
      world.block(id, !world.blocked.has(id))
    }
    if ('tick' in step) world.tick()
    if ('rejoin' in step) world.rejoin()
    if ('crash' in step) world.crash({ withNote: Boolean(step.crash) })
    if ('again' in step) world.pauseAgain(Boolean(step.again))
  }
}

function drain(world: PausedWorld): void {
  for (const id of subscriptions) world.block(id, false)
  for (let turn = 0; turn < 20 + world.log.length; turn++) {
    world.getRoom(25)
    world.fetch(40)
  }
}

describe('PausedDeliveries', () => {
  it('releases every job once, in the order of arrival per subscription, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const world = new PausedWorld(0)
        play(world, actions)
        drain(world)
        for (const id of subscriptions) {
          const arrivals = (jobs: readonly DeliveryJob[]) =>
            jobs.filter((job) => job.subscriptionId === id).map((job) => job.arrival)
          const log = world.log.map(({ job }) => job)
          const paused = [...new Set(arrivals(log))].toSorted((x, y) => x - y)
          expect(arrivals(world.released)).toEqual(paused)
        }
        expect(world.paused.size).toBe(0)
        expect(world.assignment.low).toBe(world.log.length)
      }),
      { numRuns: 500 },
    )
  })

  it('cancels those of a deleted subscription once other transitions have ended', () => {
    const world = new PausedWorld(0)
    world.gone.add('a')
    world.pause('a', 0)
    world.fetch(40)
    // Not the slot of an endpoint, so no event tells.
    world.room = 1
    world.tick()
    expect(world.released).toHaveLength(1)
  })

  it('keeps one blocked subscription from holding back another', () => {
    const world = new PausedWorld(0)
    world.blocked.add('a')
    for (let arrival = 0; arrival < 5_000; arrival++) world.pause('a', arrival)
    world.pause('b', 5_000)
    for (let i = 0; i < 130; i++) world.fetch(40)
    world.getRoom(10)
    world.fetch(40)
    expect(world.released.map((job) => job.subscriptionId)).toEqual(['b'])
  })

  it('reads each body about once when 5,000 jobs drain after a cooldown', () => {
    const world = new PausedWorld(0)
    world.blocked.add('a')
    for (let arrival = 0; arrival < 5_000; arrival++) world.pause('a', arrival)
    while (world.assignment.next < 5_000) world.fetch(1_000)
    world.block('a', false)
    let fetches = 0
    for (; world.released.length < 5_000; fetches++) {
      world.getRoom(32)
      world.fetch(100)
    }
    expect(world.released.map((job) => job.arrival)).toEqual(
      Array.from({ length: 5_000 }, (_, arrival) => arrival),
    )
    expect(fetches).toBeLessThan(400)
  })

  it('drops a copy of a job that is paused already', () => {
    const world = new PausedWorld(0)
    world.pause('a', 1)
    world.log.push(...world.log.slice(0, 1))
    world.crash()
    drain(world)
    expect(world.released).toHaveLength(1)
    expect(world.finished).toBe(2)
  })

  it('continues after a job that was handled elsewhere', () => {
    const world = new PausedWorld(0)
    for (let arrival = 0; arrival < 3; arrival++) world.pause('a', arrival)
    world.block('a', true)
    world.fetch(10)
    world.doneElsewhere.add('a/0')
    world.block('a', false)
    drain(world)
    expect(world.released.map(({ arrival }) => arrival)).toEqual([1, 2])
    expect(world.paused.size).toBe(0)
  })

  it.each([
    ['an earlier transition', -1],
    ['a later one', 1],
  ])('has one place for a job that is paused again from %s', (_which, step) => {
    const world = new PausedWorld(0)
    for (let arrival = 0; arrival < 3; arrival++) world.pause('a', arrival)
    world.crash()
    world.fetch(10)
    // The killed owner had not committed the place that the job came from.
    world.pause('a', 2, { step: 1 + step })
    world.fetch(10)
    world.block('a', true)
    for (let turn = 0; turn < 20; turn++) {
      world.fetch(10)
      world.tick()
    }
    expect(world.seeks).toBeLessThan(5)
    // The status of a copy is published as well, which repeats the same status.
    expect(new Set(world.announced)).toEqual(new Set([0, 1, 2]))
    world.block('a', false)
    drain(world)
    expect(world.released.map(({ arrival }) => arrival)).toEqual([0, 1, 2])
    expect(world.assignment.low).toBe(world.log.length)
  })

  it('moves the oldest blocked job to the end when the commit has no room for what came after it', () => {
    const world = new PausedWorld(0)
    world.blocked.add('a')
    const total = 12_000
    for (let arrival = 0; arrival < total; arrival++) world.pause(arrival % 2 ? 'b' : 'a', arrival)
    for (let i = 0; i < 400; i++) {
      world.getRoom(200)
      world.fetch(100)
    }
    expect(world.released).toHaveLength(total / 2)
    expect(world.assignment.crowded).toBe(false)
    world.crash()
    world.block('a', false)
    for (
      let i = 0;
      i < 1_000 && world.paused.size + world.log.length - world.assignment.next > 0;
      i++
    ) {
      world.getRoom(200)
      world.fetch(100)
    }
    const ofA = world.released.filter((job) => job.subscriptionId === 'a')
    expect(ofA.map((job) => job.arrival)).toEqual(
      Array.from({ length: total / 2 }, (_, index) => index * 2),
    )
    expect(world.released).toHaveLength(total)
  })

  it('checks only the subscriptions of the endpoint that has room again', () => {
    const world = new PausedWorld(0)
    const inactive = Array.from({ length: 10_000 }, (_, n) => `inactive-${n}`)
    for (const id of inactive) world.blocked.add(id)
    inactive.forEach((id, arrival) => world.pause(id, arrival))
    world.pause('a', 10_000)
    while (world.assignment.next < world.log.length) world.fetch(1_000)
    world.asked = 0
    world.getRoom(1)
    world.fetch(1_000)
    expect(world.released.map(({ subscriptionId }) => subscriptionId)).toEqual(['a'])
    for (let attempt = 0; attempt < 100; attempt++) world.getRoom(1)
    expect(world.asked).toBeLessThan(20)
  })

  it('asks a few subscriptions at a time, and reaches the one with a slot behind many without', () => {
    const world = new PausedWorld(0)
    const limited = Array.from({ length: 1_000 }, (_, n) => `limited-${n}`)
    limited.forEach((id, arrival) => world.pause(id, arrival))
    for (const id of limited) world.limited.add(id)
    world.pause('a', 1_000)
    while (world.assignment.next < world.log.length) world.fetch(1_000)
    world.asked = 0
    world.getRoom(1)
    expect(world.asked).toBeLessThan(100)
    for (let tick = 0; tick < 100; tick++) world.tick()
    world.fetch(1_000)
    expect(world.released.map(({ subscriptionId }) => subscriptionId)).toEqual(['a'])
  })

  it('publishes waiting deliveries in portions when they become paused for another reason', () => {
    const world = new PausedWorld(0)
    for (let arrival = 0; arrival < 2_500; arrival++) world.pause('a', arrival)
    for (let i = 0; i < 20; i++) world.fetch(500)
    expect(world.announced).toEqual([])
    world.block('a', true)
    for (let i = 0; i < 20; i++) world.fetch(500)
    expect(world.announced).toHaveLength(1_000)
    for (let tick = 0; tick < 3; tick++) {
      world.tick()
      for (let i = 0; i < 20; i++) world.fetch(500)
    }
    expect(world.announced.toSorted((x, y) => x - y)).toEqual(world.log.map((_, index) => index))
    world.pause('a', 2_500)
    world.fetch(500)
    expect(world.announced).toHaveLength(2_500)
    world.block('a', false)
    for (let turn = 0; world.released.length < 2_501 && turn < 300; turn++) {
      world.getRoom(25)
      world.fetch(500)
    }
    expect(world.released.map(({ arrival }) => arrival)).toEqual(world.log.map((_, i) => i))
  })

  it('publishes those that were read again before they became paused for another reason', () => {
    const world = new PausedWorld(0)
    for (let arrival = 0; arrival < 20; arrival++) world.pause(arrival % 2 ? 'a' : 'b', arrival)
    world.fetch(500)
    // Those of `b` are read again, and with them those of `a`.
    for (const id of ['b', 'a']) {
      world.block(id, true)
      world.tick()
      world.fetch(500)
    }
    expect(world.announced.toSorted((x, y) => x - y)).toEqual(world.log.map((_, index) => index))
  })
})
