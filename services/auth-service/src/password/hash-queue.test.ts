import { describe, expect, it } from '@jest/globals'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { NoHashRoomError } from '../limits/no-hash-room-error.ts'
import { createHashQueue } from './hash-queue.ts'

const deferred = () => Promise.withResolvers<string>()
const settled = () => new Promise((resolve) => setImmediate(resolve))

type Work = () => Promise<unknown>
type Options = { concurrency: number; maxWaitMs: number; now?: () => number }

function queueOf(options: Options) {
  const metrics = createMetrics('test')
  const queue = createHashQueue({ ...options, metrics })
  /** Each call comes from a tenant of its own. */
  const run = (work: Work, lanes = 1) =>
    queue.run({ line: [`tenant-${++tenants}`, 'network'], work, lanes })
  return { queue, run, metrics }
}
let tenants = 0

describe('the hash queue', () => {
  it('runs up to its concurrency, and the next job as soon as one has ended', async () => {
    const { run } = queueOf({ concurrency: 2, maxWaitMs: 10_000 })
    const works = [deferred(), deferred(), deferred(), deferred()]
    const started: number[] = []
    const results = works.map(({ promise }, index) =>
      run(() => {
        started.push(index)
        return promise
      }),
    )
    const ended = Promise.allSettled(results)
    await settled()
    expect(started).toEqual([0, 1])
    works[1]?.resolve('one')
    await settled()
    expect(started).toEqual([0, 1, 2])
    works[0]?.resolve('zero')
    works[2]?.reject(new Error('two'))
    await settled()
    expect(started).toEqual([0, 1, 2, 3])
    works[3]?.resolve('three')
    expect((await ended).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  it('counts the lanes of a hash in order of arrival, and never waits for more than exist', async () => {
    const { run } = queueOf({ concurrency: 3, maxWaitMs: 10_000 })
    const lanes = [1, 3, 1, 2, 8]
    const works = lanes.map(deferred)
    const started: number[] = []
    const results = works.map(({ promise }, index) =>
      run(() => {
        started.push(index)
        return promise
      }, lanes[index]),
    )
    const end = async (index: number) => {
      works[index]?.resolve('done')
      await settled()
      return started
    }
    await settled()
    expect(started).toEqual([0])
    expect(await end(0)).toEqual([0, 1])
    expect(await end(1)).toEqual([0, 1, 2, 3])
    expect(await end(2)).toEqual([0, 1, 2, 3])
    expect(await end(3)).toEqual([0, 1, 2, 3, 4])
    await end(4)
    await Promise.all(results)
  })

  it('refuses jobs that would wait too long with Retry-After, and accepts them later', async () => {
    const { run, metrics } = queueOf({ concurrency: 1, maxWaitMs: 400 })
    const works = Array.from({ length: 200 }, deferred)
    const results = works.map(({ promise }) => run(() => promise))
    for (const one of await Promise.allSettled(results.slice(11))) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 },
      })
    }
    expect(await metrics.registry.metrics()).toMatch(/surehook_auth_hash_queue_depth\{[^}]*\} 10\n/)
    expect(await metrics.registry.metrics()).toMatch(
      /surehook_auth_hash_refused_total\{[^}]*\} 189\n/,
    )
    for (const { resolve } of works) resolve('done')
    await Promise.all(results.slice(0, 11))
    await expect(run(async () => 'again')).resolves.toBe('again')
    expect(await metrics.registry.metrics()).toMatch(/surehook_auth_hash_queue_depth\{[^}]*\} 0\n/)
  })

  it('allows fewer waiting jobs when hashes become slower', async () => {
    let clock = 0
    const { run } = queueOf({ concurrency: 1, maxWaitMs: 2_000, now: () => clock })
    for (let i = 0; i < 60; i++) {
      await run(async () => {
        clock += 1_000
      })
    }
    const blocking = deferred()
    const first = run(() => blocking.promise)
    const waiting = [run(async () => 'a'), run(async () => 'b')]
    await expect(run(async () => 'c')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    blocking.resolve('first')
    await Promise.all([first, ...waiting])
  })

  it('keeps room for every tenant and network, however many requests others send', async () => {
    const { queue } = queueOf({ concurrency: 1, maxWaitMs: 1_600 })
    const blocking = deferred()
    const order: string[] = []
    const ask = (tenant: string, network: string) =>
      queue.run({
        line: [tenant, network],
        work: async () => void order.push(`${tenant} ${network}`),
      })
    const first = queue.run({ line: ['flood', 'n-0'], work: () => blocking.promise })
    // There is room for 40: 20 per tenant, 10 per network.
    const flood = Array.from({ length: 130 }, () => ask('flood', 'n-0'))
    const others = Array.from({ length: 130 }, (_, n) => ask('flood', `n-${1 + (n % 5)}`))
    const guests = [ask('guest', 'home'), ask('guest', 'home')]
    const stranger = ask('flood', 'stranger')
    const ended = Promise.allSettled([...flood, ...others])
    await settled()
    expect(() => queue.assertCapacity(['flood', 'n-0'])).toThrow(NoHashRoomError)
    expect(() => queue.assertCapacity(['visitor', 'home'])).not.toThrow()
    blocking.resolve('done')
    await Promise.all([first, ...guests, stranger])
    const fulfilled = (await ended).filter(({ status }) => status === 'fulfilled')
    expect(fulfilled).toHaveLength(19)
    expect(order.indexOf('guest home')).toBeLessThan(2)
    expect(order.filter((line) => line === 'guest home')).toHaveLength(2)
  })
})
