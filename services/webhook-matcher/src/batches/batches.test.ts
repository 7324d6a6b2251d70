import { afterEach, expect, it, jest } from '@jest/globals'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { Batches } from './batches.ts'
import type { ChangeBatch } from './change-batch.ts'

type Run = Pick<ChangeBatch, 'progress' | 'signal'> & { keys: string[]; end: (err?: Error) => void }

function setUp() {
  const runs: Run[] = []
  const finished: string[] = []
  const batches = new Batches({
    log: createLogger('test', 'silent'),
    gate: { newPartition: async () => 4, rerouted: async () => {}, unused: async () => [] },
    handle: ({ messages, progress, signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const keys = messages.map(({ key }) => String(key))
      runs.push({ keys, progress, signal, end: (err) => (err ? reject(err) : resolve()) })
      return promise
    },
  })
  const at = { topic: 'changes', partition: 0, committed: 0, metadata: null, end: 0 }
  const assignments = new Map([['changes', new AssignedPartition(at)]])
  batches.assigned(0, assignments, {
    seek: () => {},
    mayStart: true,
    partitions: 4,
    commitSoon: () => {},
  })
  let offset = 0
  let detached = 0
  const lease = new AbortController()
  const add = (project: string, count = 1) => {
    for (let n = 0; n < count; n++) {
      const key = `${project}/master/orders/${offset}`
      batches.handle({
        ...{ topic: 'changes', partition: 0, offset: offset++, key: Buffer.from(key) },
        ...{ value: null, timestamp: '0', lease: lease.signal, reread: false },
        finish: () => finished.push(key),
        detach: () => void detached++,
      } satisfies WindowedMessage)
    }
  }
  return { batches, runs, finished, add, lease, detached: () => detached }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const projectsOf = (run: Run | undefined) => [...new Set(run?.keys.map((key) => key.split('/')[0]))]

afterEach(() => void jest.useRealTimers())

it('handles changes of one turn together, and later ones afterwards', async () => {
  const { runs, add, finished } = setUp()
  add('a', 2)
  add('b')
  await settled()
  add('b', 2)
  await settled()
  expect(runs.map(({ keys }) => keys.length)).toEqual([3])
  runs[0]?.end()
  await settled()
  expect(runs.map(({ keys }) => keys.length)).toEqual([3, 2])
  expect(finished).toHaveLength(3)
})

it('does not let a project wait for the flood of another', async () => {
  const { runs, add } = setUp()
  add('flood', 2_000)
  await settled()
  add('small')
  await settled()
  expect(runs.map(projectsOf)).toEqual([['flood'], ['small']])
  expect(runs[0]?.keys).toHaveLength(500)
})

it('gives each waiting project the same share of a batch', async () => {
  const { runs, add } = setUp()
  add('flood', 2_000)
  add('small', 3)
  await settled()
  expect(runs[0]?.keys.filter((key) => key.startsWith('flood/'))).toHaveLength(250)
  expect(runs[0]?.keys.filter((key) => key.startsWith('small/'))).toHaveLength(3)
})

it('never has two batches of a project at once, and keeps its order', async () => {
  const { runs, add } = setUp()
  add('flood', 1_200)
  add('other', 60)
  await settled()
  for (let nth = 0; nth < runs.length; nth++) {
    const open = runs.slice(nth).flatMap(projectsOf)
    expect(new Set(open).size).toBe(open.length)
    runs[nth]?.end()
    await settled()
  }
  const offsets = runs
    .flatMap(({ keys }) => keys)
    .filter((key) => key.startsWith('flood/'))
    .map((key) => Number(key.split('/')[3]))
  expect(offsets).toEqual(Array.from({ length: 1_200 }, (_, nth) => nth))
})

it('repeats a failed batch, and then finishes it', async () => {
  const { runs, add, finished } = setUp()
  add('a')
  await settled()
  runs[0]?.end(new Error('Kafka is away'))
  await settled()
  expect(finished).toEqual([])
  while (runs.length < 2) await settled()
  expect(runs[1]?.keys).toEqual(runs[0]?.keys)
  runs[1]?.end()
  await settled()
  expect(finished).toHaveLength(1)
})

it('begins nothing while it is held, and then continues', async () => {
  const { batches, runs, add } = setUp()
  batches.drain(0, true)
  add('a')
  await settled()
  expect(runs).toEqual([])
  batches.drain(0, false)
  expect(runs).toHaveLength(1)
})

function useFakeSeconds() {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] })
  return async () => {
    await jest.advanceTimersByTimeAsync(1_000)
    await settled()
  }
}

it('continues project by project when Kafka takes the deliveries of only some', async () => {
  const aSecond = useFakeSeconds()
  const { runs, add, finished } = setUp()
  add('stuck')
  add('healthy')
  await settled()
  expect(runs.map(projectsOf)).toEqual([['stuck', 'healthy']])
  for (const project of ['stuck', 'healthy']) runs[0]?.progress.sending(project, 1_000)
  runs[0]?.progress.taken('healthy')
  await aSecond()
  expect(runs[0]?.signal.aborted).toBe(true)
  expect(runs.slice(1).map(projectsOf)).toEqual([['stuck'], ['healthy']])
  runs[2]?.end()
  await aSecond()
  expect(finished).toHaveLength(1)
  add('healthy')
  add('stuck')
  await settled()
  expect(runs.slice(3).map(projectsOf)).toEqual([['healthy']])
  runs[1]?.end()
  runs[3]?.end()
  await settled()
  await settled()
  expect(runs.slice(4).map(projectsOf)).toEqual([['stuck']])
})

it('does not divide a batch while Kafka takes nothing, or keeps taking deliveries', async () => {
  const aSecond = useFakeSeconds()
  const { runs, add } = setUp()
  add('a')
  add('b')
  await settled()
  for (const project of ['a', 'b']) runs[0]?.progress.sending(project, 1_000)
  await aSecond()
  expect(runs).toHaveLength(1)
  runs[0]?.end()
  await settled()
  add('a')
  add('b')
  await settled()
  for (let n = 0; n < 5; n++) {
    runs[1]?.progress.sending('a', 1_000)
    runs[1]?.progress.taken('a')
    await jest.advanceTimersByTimeAsync(900)
  }
  expect(runs).toHaveLength(2)
})

it('does not count a divided batch as stalled', async () => {
  const aSecond = useFakeSeconds()
  const { runs, add } = setUp()
  for (let n = 0; n < 40; n++) {
    const first = runs.length
    add(`stuck ${n}`)
    add(`healthy ${n}`)
    await settled()
    const divided = runs[first]
    for (const project of [`stuck ${n}`, `healthy ${n}`]) divided?.progress.sending(project, 1_000)
    divided?.progress.taken(`healthy ${n}`)
    await aSecond()
    for (const run of runs.slice(first + 1)) run.end()
    await settled()
    divided?.progress.taken(`stuck ${n}`)
    await aSecond()
  }
  expect(runs).toHaveLength(3 * 40)
})

it('lets no project wait because any number of others is stalled', async () => {
  const aSecond = useFakeSeconds()
  const { runs, add, finished, detached } = setUp()
  for (let n = 0; n < 100; n++) {
    add(`stuck ${n}`)
    await settled()
    await aSecond()
  }
  expect([runs.length, detached()]).toEqual([100, 100])
  add('healthy')
  await settled()
  expect(projectsOf(runs.at(-1))).toEqual(['healthy'])
  runs.at(-1)?.end()
  await settled()
  expect(finished).toHaveLength(1)
})

it('begins nothing more while the stalled batches hold too many bytes', async () => {
  const aSecond = useFakeSeconds()
  const { runs, add } = setUp()
  for (let n = 0; n < 40; n++) {
    add(`project ${n}`)
    await settled()
    runs[n]?.progress.sending(`project ${n}`, 2_100_000)
    await aSecond()
  }
  expect(runs).toHaveLength(32)
  runs[0]?.end()
  await settled()
  expect(runs.slice(32)).toHaveLength(1)
})
