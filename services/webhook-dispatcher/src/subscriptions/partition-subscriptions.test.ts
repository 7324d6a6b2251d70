import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { pino } from 'pino'
import { SecretsOpener } from './secrets-opener.ts'
import type { ReadState } from './state-reader.ts'
import { unloaded, unreadable } from './subscription.ts'
import { Subscriptions } from './subscriptions.ts'

const url = (n: number) => `https://receiver.example/${n}`
const stateOf = (id: string, n = 0) => aSubscription({ id, url: url(n) })
const signal = new AbortController().signal

/** The subscriptions of one partition. A test answers the reads of offsets. */
function setUp({ newestStates = 0 } = {}) {
  const reads = new Map<number, PromiseWithResolvers<ReadState>>()
  const loaded: string[] = []
  const behind: (() => void)[] = []
  const all = new Subscriptions({
    opener: new SecretsOpener({ open: () => '' }, pino({ level: 'silent' })),
    reader: {
      read: (offset) => {
        const read = reads.get(offset) ?? Promise.withResolvers<ReadState>()
        reads.set(offset, read)
        return read.promise
      },
    },
    newestStates,
  })
  // The view applies what a test has put here when its barrier is asked for.
  const view = { barrier: async () => behind.splice(0).forEach((apply) => apply()) }
  const open = () => all.open({ view, onLoaded: (id) => void loaded.push(id) })
  return { all, reads, loaded, behind, open }
}

it('reads a state when it is needed, once', async () => {
  const { all, reads, loaded, open } = setUp()
  all.apply('a', stateOf('a'), 7)
  using partition = open()
  expect(partition.get('a')).toBe(unloaded)
  const current = partition.current('a', signal)
  expect([...reads.keys()]).toEqual([7])
  reads.get(7)?.resolve(stateOf('a'))
  await current
  expect(partition.get('a')).toMatchObject({ id: 'a', url: url(0) })
  expect([loaded, reads.size]).toEqual([['a'], 1])
})

it('takes a state that is still in memory', () => {
  const { all, reads, open } = setUp({ newestStates: 1 })
  for (const [offset, id] of ['a', 'b', 'c'].entries()) all.apply(id, stateOf(id), offset)
  using partition = open()
  expect(partition.get('c')).toMatchObject({ id: 'c' })
  expect(partition.get('a')).toBe(unloaded)
  expect(reads.size).toBe(1)
})

it('prefers a state that arrives while an older one is read', async () => {
  const { all, reads, open } = setUp()
  all.apply('a', stateOf('a', 1), 0)
  using partition = open()
  const current = partition.current('a', signal)
  all.apply('a', stateOf('a', 2), 1)
  reads.get(0)?.resolve(stateOf('a', 1))
  await current
  expect(partition.get('a')).toMatchObject({ url: url(2) })
})

it('knows a subscription that is deleted while its state is read', async () => {
  const { all, reads, open } = setUp()
  all.apply('a', stateOf('a'), 0)
  using partition = open()
  const current = partition.current('a', signal)
  all.apply('a', null, 1)
  reads.get(0)?.resolve(stateOf('a'))
  await current
  expect(partition.get('a')).toBeUndefined()
})

it('reads the successor of a record that was compacted', async () => {
  const { all, reads, open } = setUp()
  all.apply('a', stateOf('a', 1), 0)
  using first = open()
  using second = open()
  const current = Promise.all([first, second].map((one) => one.current('a', signal)))
  reads.get(0)?.resolve('replaced')
  await turn()
  all.apply('a', stateOf('a', 2), 5)
  await current
  expect(first.get('a')).toMatchObject({ url: url(2) })
})

it('waits for the view when it knows no such subscription', async () => {
  const { all, reads, behind, open } = setUp()
  using partition = open()
  behind.push(() => all.apply('a', stateOf('a'), 0))
  expect(partition.get('a')).toBeUndefined()
  const current = partition.current('a', signal)
  await turn()
  reads.get(0)?.resolve(stateOf('a'))
  await current
  expect(partition.get('a')).toMatchObject({ id: 'a' })
  await partition.current('never existed', signal)
  expect(partition.get('never existed')).toBeUndefined()
})

it('follows the changes of what it has, and forgets all when it is closed', async () => {
  const { all, reads, open } = setUp()
  const partition = open()
  all.apply('a', stateOf('a', 1), 0)
  const current = partition.current('a', signal)
  reads.get(0)?.resolve(stateOf('a', 1))
  await current
  all.apply('a', stateOf('a', 2), 1)
  expect(partition.get('a')).toMatchObject({ url: url(2) })
  all.unreadable('a', 2)
  expect(partition.get('a')).toBe(unreadable)
  expect(all.nameOf('a')).toBeNull()
  partition[Symbol.dispose]()
  using next = open()
  expect(next.get('a')).toBe(unloaded)
})

it('stops waiting when its signal ends', async () => {
  const { all, open } = setUp()
  all.apply('a', stateOf('a'), 0)
  using partition = open()
  const ending = new AbortController()
  const current = partition.current('a', ending.signal)
  ending.abort(new Error('revoked'))
  await expect(current).rejects.toThrow('revoked')
})
