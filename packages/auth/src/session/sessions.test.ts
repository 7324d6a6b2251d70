import { beforeEach, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { loggedIn, TabWorld, user } from '../../test/tab-world.ts'
import { AuthError, ConnectionError, SignedOutError } from '../errors.ts'
import type { AuthChange } from './changes.ts'
import type { Sessions } from './sessions.ts'

let world: TabWorld

beforeEach(() => {
  world = new TabWorld()
})

/** Opens tabs of one session whose access token is due. */
async function openTabs(names: readonly string[], options: Parameters<TabWorld['tab']>[1] = {}) {
  const tabs = names.map((name) => world.tab(name, options))
  const [first] = tabs as [Sessions]
  await first.start(loggedIn, world.clock.now())
  await world.clock.run(59_000)
  return tabs as [Sessions, Sessions, Sessions]
}

/** Lets the calls end, for at most this time. */
async function settled<T>(calls: Promise<T>[], ms = 60_000): Promise<PromiseSettledResult<T>[]> {
  const all = Promise.allSettled(calls)
  await world.clock.run(ms)
  return all
}

/** The tab of this call is closed. */
const gone = () => undefined

const rotations = async (calls: Promise<{ rotation: number }>[]) =>
  (await settled(calls)).map((one) =>
    one.status === 'fulfilled' ? one.value.rotation : one.reason,
  )

it('one refresh serves all callers of all tabs', async () => {
  const tabs = await openTabs(['a', 'b', 'c'])
  const calls = tabs.flatMap((tab) => [tab.fresh(), tab.fresh()])
  await world.clock.run(150)
  expect(world.service.exchanged).toEqual(['r0'])
  expect(await rotations(calls)).toEqual([1, 1, 1, 1, 1, 1])
  expect(world.service.exchanged).toEqual(['r0'])
  const claims = world.messages.filter(({ kind }) => kind === 'claim')
  expect(claims.length).toBeGreaterThan(0)
  expect(JSON.stringify(claims)).not.toContain('r0')
})

it.each([
  ['messages and storage within 40 ms', 40, 40],
  ['messages without storage', 40, 1e9],
  ['storage without messages', 1e9, 40],
])('no token is exchanged twice: %s', async (_, message, storage) => {
  const starts = fc.array(fc.nat(400), { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(starts, fc.infiniteStream(fc.nat(40)), async (times, noise) => {
      world = new TabWorld()
      const delay = (most: number) => () => (most > 40 ? most : (noise.next().value ?? 0))
      const tabs = await openTabs(times.map((_time, at) => `tab${at}`))
      world.delays = { message: delay(message), storage: delay(storage) }
      const calls = times.map(async (ms, at) => {
        await new Promise<void>((resolve) => void world.clock.after(ms, resolve))
        return tabs[at as 0].renewed((await tabs[at as 0].current()) as never)
      })
      const results = await settled(calls, 20_000)
      expect(results.map(({ status }) => status)).toEqual(times.map(() => 'fulfilled'))
      expect(world.service.isEnded).toBe(false)
      expect(world.service.mostAtOnce).toBe(1)
    }),
    { numRuns: 60 },
  )
})

it('a slow holder keeps its lease, however late its timers are', async () => {
  const late = {
    now: () => world.clock.now(),
    after: (ms: number, callback: () => void) =>
      world.clock.after(ms < 1_000 ? ms : 60_000, callback),
  }
  const slow = world.tab('slow', { clock: late })
  await slow.start(loggedIn, world.clock.now())
  await world.clock.run(59_000)
  const other = world.tab('other')
  world.service.latency = 20_000
  const first = slow.fresh()
  await world.clock.run(200)
  expect(await rotations([first, other.fresh()])).toEqual([1, 1])
  expect(world.service.exchanged).toEqual(['r0'])
})

it('a laptop that sleeps in the middle of a refresh loses nothing', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  const calls = [a.fresh(), b.fresh()]
  await world.clock.run(160)
  world.clock.sleep(8 * 3_600_000)
  expect(await rotations(calls)).toEqual([1, 1])
  expect(world.service.exchanged).toEqual(['r0'])
})

it('another tab repeats the refresh of a tab that was closed, within the interval', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  world.service.reuseInterval = 30_000
  void a.fresh().catch(gone)
  await world.clock.run(160)
  expect(world.service.exchanged).toEqual(['r0'])
  world.kill('a')
  const started = world.clock.now()
  const session = b.fresh()
  await world.clock.run(6_000)
  expect(await session).toMatchObject({ rotation: 1, refreshToken: 'r1' })
  expect(world.service.exchanged).toEqual(['r0', 'r0'])
  expect(world.clock.now() - started).toBeLessThan(10_000)
})

it('a page that goes refreshes nothing, and leaves the lease to the others at once', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  world.service.reuseInterval = 30_000
  void a.fresh().catch(gone)
  await world.clock.run(160)
  await a.leave()
  expect((await a.fresh()).rotation).toBe(0)
  world.kill('a')
  const session = b.fresh()
  await world.clock.run(500)
  expect((await session).rotation).toBe(1)
})

it('a slow holder keeps its lease without messages too, by its beats', async () => {
  world.delays.message = () => 1e9
  world.service.latency = 20_000
  const [a, b] = await openTabs(['a', 'b'])
  const first = a.fresh()
  await world.clock.run(200)
  expect(await rotations([first, b.fresh()])).toEqual([1, 1])
  expect(world.service.exchanged).toEqual(['r0'])
})

it('duplicates of a tab refresh with the newest tokens of any, and keep them', async () => {
  const original = world.copy('original', new Map())
  await original.start(loggedIn, world.clock.now())
  const old = world.storedOf('original')
  const copy = world.copy('copy', world.storedOf('original'))
  await world.clock.run(59_000)
  expect(await rotations([original.fresh(), copy.fresh()])).toEqual([1, 1])
  // The browser made a copy before the refresh, and shows it now.
  const late = world.copy('late', old)
  expect(await rotations([late.renewed((await late.current()) as never)])).toEqual([1])
  const stored = world.storedOf('copy')
  for (const name of ['original', 'copy', 'late']) world.kill(name)
  const alone = world.copy('alone', stored)
  await world.clock.run(59_000)
  expect(await rotations([alone.fresh()])).toEqual([2])
  expect(world.service.exchanged).toEqual(['r0', 'r1'])
})

it('pages with sessions of their own do not wait for each other', async () => {
  const pages = ['a', 'b'].map((name) => world.tab(name, { scope: 'page' }))
  for (const page of pages) await page.start(loggedIn, world.clock.now())
  await pages[0]?.end((await pages[0].current()) as never, 'logout')
  expect(await pages[1]?.current()).toMatchObject({ rotation: 0 })
})

it('uses a lock of the caller instead of the lease', async () => {
  const names: string[] = []
  const lock = <T>(name: string, task: () => Promise<T>) => {
    names.push(name)
    return task()
  }
  const [a] = await openTabs(['a'], { lock })
  expect(await rotations([a.fresh(), a.fresh()])).toEqual([1, 1])
  expect(names).toEqual(['k'])
})

it('an abort ends the wait of its caller, and not the refresh', async () => {
  const [a] = await openTabs(['a'])
  const stop = new AbortController()
  const reason = new Error('enough')
  const calls = [a.fresh(stop.signal), a.fresh()]
  await world.clock.run(160)
  stop.abort(reason)
  const [aborted, other] = await settled(calls)
  expect(aborted).toEqual({ status: 'rejected', reason })
  expect(other).toMatchObject({ value: { rotation: 1 } })
})

it('a token that is due serves while the service is away, and one that has expired does not', async () => {
  const details = { code: 'CONNECTION_FAILED' }
  const exchange = () => Promise.reject(new ConnectionError('lost', details))
  const [a] = await openTabs(['a'], { exchange })
  expect(await rotations([a.fresh()])).toEqual([0])
  const [result] = await settled([a.fresh()])
  expect(result).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION_FAILED' } })
  expect(await a.current()).not.toBeNull()
})

it('a storage that fills up loses no tokens', async () => {
  await openTabs(['a'])
  const working = world.storageOf('b', true)
  const fails = () => {
    throw new Error('full')
  }
  const b = world.tab('b', { storage: { ...working, setItem: fails } })
  expect(await rotations([b.fresh()])).toEqual([1])
  expect(await b.current()).toMatchObject({ refreshToken: 'r1' })
})

it('a login works with a storage that is full', async () => {
  const storage = {
    ...world.storageOf('a', true),
    setItem: () => Promise.reject(new Error('full')),
  }
  const a = world.tab('a', { storage })
  await a.start(loggedIn, world.clock.now())
  expect(await a.current()).toMatchObject({ refreshToken: 'r0' })
})

it('a refusal for a tab that was too late signs nobody out', async () => {
  const lock = <T>(_name: string, task: () => Promise<T>) => task()
  const refused = new AuthError('refused', { code: 'AUTH_TOKEN_INVALID', status: 401 })
  const exchange = async () => {
    await new Promise<void>((resolve) => void world.clock.after(500, resolve))
    throw refused
  }
  const late = world.tab('late', { lock, exchange })
  const [a] = await openTabs(['a'], { lock })
  expect(await rotations([late.fresh(), a.fresh()])).toEqual([1, 1])
})

it('a logout counts before the storage shows it', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  world.delays.storage = () => 1e9
  await a.end((await a.current()) as never, 'logout')
  await world.clock.run(10)
  expect(await b.current()).toBeNull()
})

it('a refusal signs out, in all tabs, and says why', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  const changes: AuthChange[] = []
  b.onChange((change) => changes.push(change))
  world.service.isEnded = true
  const [result] = await settled([a.fresh()])
  const reason = result?.status === 'rejected' ? result.reason : undefined
  expect(reason).toBeInstanceOf(SignedOutError)
  expect(reason).toMatchObject({ code: 'SIGNED_OUT', cause: expect.any(AuthError) })
  expect(changes).toEqual([{ type: 'signedOut', reason: 'expired' }])
  await expect(b.fresh()).rejects.toBeInstanceOf(SignedOutError)
})

it('tells each change in each tab once', async () => {
  const tabs = [world.tab('a'), world.tab('b')] as const
  const changes = tabs.map((tab) => {
    const seen: string[] = []
    tab.onChange(({ type }) => seen.push(type))
    return seen
  })
  await tabs[0].start(loggedIn, world.clock.now())
  await world.clock.run(59_000)
  await settled([tabs[1].fresh(), tabs[0].fresh()], 2_000)
  await tabs[1].end((await tabs[1].current()) as never, 'logout')
  await world.clock.run(500)
  const all = ['signedIn', 'refreshed', 'signedOut']
  expect(changes).toEqual([all, all])
})

it('a logout during a refresh wins', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  const refresh = a.fresh()
  await world.clock.run(160)
  await b.end((await b.current()) as never, 'logout')
  const [result] = await settled([refresh])
  expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SIGNED_OUT' } })
  expect([await a.current(), await b.current()]).toEqual([null, null])
})

it('keeps a changed user across refreshes, and forgets the user with the session', async () => {
  const [a, b] = await openTabs(['a', 'b'])
  const session = (await a.current()) as never
  await a.saveUser(session, { ...user, firstName: 'Ada' })
  await settled([b.fresh()], 500)
  expect((await b.user())?.firstName).toBe('Ada')
  await a.start(loggedIn, world.clock.now())
  await world.clock.run(10)
  expect((await b.user())?.firstName).toBe('')
})
