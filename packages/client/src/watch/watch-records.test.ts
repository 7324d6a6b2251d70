import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { LiveServer, type Task, type Values } from '../../test/live-server.ts'
import {
  AuthenticationError,
  NotFoundError,
  PermissionError,
  Surehook,
  type SurehookOptions,
  ValidationError,
  type WatchQuery,
} from '../index.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
})
afterEach(() => {
  jest.useRealTimers()
})

type List = readonly Task[]
type Watching = { lists: List[]; failure: unknown; stop: AbortController; ended: Promise<void> }

const given = { baseUrl: 'https://hooks.example', projectId: 'shop', token: 't' }

function watch(
  { fetch }: LiveServer,
  query: WatchQuery = {},
  more: Partial<SurehookOptions> = {},
): Watching {
  const stop = new AbortController()
  const surehook = new Surehook({ ...given, fetch: fetch, ...more })
  const watching: Watching = { lists: [], failure: undefined, stop, ended: Promise.resolve() }
  const read = async () => {
    const { signal } = stop
    const lists = surehook.table<Task>('tasks').watch(query, { signal })
    for await (const list of lists) watching.lists.push(list)
  }
  watching.ended = read().catch((err) => void (watching.failure = err))
  return watching
}

/** Lets everything happen that can within `ms`. */
async function pass(ms = 0): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  await jest.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  await jest.advanceTimersByTimeAsync(0)
}

const task = (n: number, more: Partial<Values> = {}): Values => ({
  owner: 'ann',
  done: false,
  n,
  ...more,
})
const numbers = (list: List | undefined) => list?.map(({ n }) => n)

describe('the list', () => {
  const values = fc.record({
    owner: fc.constantFrom('ann', 'ann', 'bob'),
    done: fc.boolean(),
    n: fc.nat(9),
  }) as fc.Arbitrary<Values>
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  type Act = (server: LiveServer) => unknown
  const write = fc.tuple(id, values).map(
    ([of, to]) =>
      (server: LiveServer) =>
        server.write(of, to),
  )
  const act = fc.oneof(
    { weight: 8, arbitrary: write },
    {
      weight: 4,
      arbitrary: id.map(
        (of): Act =>
          (server) =>
            server.write(of, null),
      ),
    },
    {
      weight: 8,
      arbitrary: fc.nat(3).map(
        (count): Act =>
          (server) =>
            server.publish(count),
      ),
    },
    {
      weight: 8,
      arbitrary: fc.constantFrom('early', 'now').map(
        (when): Act =>
          (server) =>
            server.answer(when),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('ends', 'breaks', 'within').map(
        (how): Act =>
          (server) =>
            server.cut(how),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Act>((server) => server.changeRules()) },
    { weight: 1, arbitrary: fc.constant<Act>((server) => server.expireCursors()) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(0, 600, 5_000).map(
        (ms): Act =>
          () =>
            pass(ms),
      ),
    },
  )

  it('equals the rows of the server after any changes, pages, disconnections and rules', async () => {
    const acts = fc.array(act, { maxLength: 30, size: 'max' })
    const where = fc.constantFrom<{ done?: boolean }[]>({}, { done: false })
    await fc.assert(
      fc.asyncProperty(where, acts, async (wanted, all) => {
        const server = new LiveServer()
        server.withheld = []
        const watching = watch(server, { where: wanted, order: '-n' })
        // The check of the order.
        await pass()
        server.answer()
        for (const next of all) {
          await next(server)
          await pass()
        }
        for (let round = 0; round < 12; round++) {
          server.publish()
          await pass()
          server.answer('early')
          await pass(8_000)
        }
        expect(watching.failure).toBeUndefined()
        const expected = server.expected(wanted)
        expected.sort((a, b) => b.n - a.n || (a.id < b.id ? -1 : 1))
        expect(watching.lists.at(-1)).toEqual(expected)
        for (const list of watching.lists) {
          expect(Object.isFrozen(list)).toBe(true)
          expect(new Set(list.map((one) => one.id)).size).toBe(list.length)
          expect(list.every(({ done }) => done === (wanted.done ?? done))).toBe(true)
        }
        watching.stop.abort()
        await pass()
        expect(server.connections).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('is read again if the stream ended meanwhile, even if the rules are those of before', async () => {
    const server: LiveServer = Object.assign(new LiveServer(), { withheld: [] })
    const { lists } = watch(server)
    await pass()
    server.changeRules()
    server.write('a', task(0, { owner: 'bob' }))
    server.answer()
    await pass()
    server.withheld = undefined
    server.changeRules()
    await pass(8_000)
    expect(lists.map(numbers)).toEqual([[0], []])
  })

  it('is one for all changes that come together', async () => {
    const server = new LiveServer()
    const { lists } = watch(server)
    await pass()
    for (const [n, of] of ['a', 'b', 'c'].entries()) server.write(of, task(n))
    server.publish()
    await pass()
    expect(lists.map(numbers)).toEqual([[], [0, 1, 2]])
  })

  it('is not read again after a disconnection, only after the rules changed', async () => {
    const server = new LiveServer()
    server.write('a', task(1))
    const { lists } = watch(server)
    await pass()
    server.cut('breaks')
    server.write('b', task(2))
    server.publish()
    await pass(600)
    expect(lists.map(numbers)).toEqual([[1], [1, 2]])
    expect(server.requests).toEqual(['stream', 'list', 'stream'])
    server.write('c', task(3, { owner: 'bob' }))
    server.publish()
    server.changeRules()
    await pass(600)
    expect(numbers(lists.at(-1))).toEqual([1, 2, 3])
    expect(server.requests.slice(3)).toEqual(['stream', 'list', 'list'])
  })

  it('goes on after the service, and the page that gets tokens, were away', async () => {
    const server = new LiveServer()
    let isAway = false
    const offline = Object.assign(new Error('offline'), { code: 'CONNECTION_FAILED' })
    const token = () => (isAway ? Promise.reject(offline) : Promise.resolve('t'))
    server.refusal = () => Response.json({ error: 'SERVICE_UNAVAILABLE' }, { status: 503 })
    const watching = watch(server, { order: 'n' }, { token })
    await pass(5_000)
    server.refusal = undefined
    await pass(10_000)
    expect(watching.lists).toEqual([[]])
    isAway = true
    server.cut('breaks')
    await pass(60_000)
    isAway = false
    server.write('a', task(1))
    server.publish()
    await pass(10_000)
    expect(numbers(watching.lists.at(-1))).toEqual([1])
    expect(watching.failure).toBeUndefined()
  })
})

describe('the list ends', () => {
  it('with the error of an answer that would come again', async () => {
    for (const [status, Class] of [
      [400, ValidationError],
      [401, AuthenticationError],
      [403, PermissionError],
      [404, NotFoundError],
    ] as const) {
      for (const refusing of ['stream', 'list']) {
        const server = new LiveServer()
        server.refusal = (path) =>
          path === refusing ? Response.json({ error: 'NO' }, { status }) : undefined
        const watching = watch(server)
        await pass()
        expect(watching.failure).toBeInstanceOf(Class)
        expect(server.connections).toBe(0)
      }
    }
  })

  it('with the error of a wrong order, before it opens a stream', async () => {
    const server = new LiveServer()
    server.refusal = () => Response.json({ error: 'VALIDATION_ERROR' }, { status: 400 })
    const watching = watch(server, { order: 'nothing' })
    await pass()
    expect(watching.failure).toBeInstanceOf(ValidationError)
    expect(server.requests).toEqual(['list'])
  })

  it('with the reason of the signal, and with a break', async () => {
    const server = new LiveServer()
    const watching = watch(server)
    await pass()
    watching.stop.abort(new Error('enough'))
    await pass()
    expect(watching.failure).toMatchObject({ message: 'enough' })
    const surehook = new Surehook({ ...given, fetch: server.fetch })
    const first = async () => {
      for await (const list of surehook.table('tasks').watch()) return list
      return undefined
    }
    const [list] = await Promise.all([first(), pass()])
    expect(list).toEqual([])
    expect(server.connections).toBe(0)
  })

  it('above 10,000 records', async () => {
    const server = new LiveServer()
    const watching = watch(server)
    await pass()
    for (let n = 0; n < 10_000; n++) server.write(String(n), task(n))
    server.publish()
    await pass()
    expect(watching.failure).toBeUndefined()
    expect(watching.lists.at(-1)).toHaveLength(10_000)
    server.write('one more', task(0))
    server.publish()
    await pass()
    expect(watching.failure).toMatchObject({ code: 'TOO_MANY_RECORDS' })
    expect(String(watching.failure)).toContain('more than 10,000 records')
  })

  it('only once a token function has no other token for a refused one', async () => {
    const server = new LiveServer()
    const tokens = ['new', 'old']
    const sent: (string | null)[] = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      const token = new Headers(init?.headers).get('authorization')
      sent.push(token)
      const refused = Response.json({ error: 'AUTH_TOKEN_EXPIRED' }, { status: 401 })
      return token === 'Bearer new' ? server.fetch(input, init) : Promise.resolve(refused)
    }
    const watching = watch(server, {}, { token: () => tokens.pop() ?? 'new', fetch })
    await pass()
    expect(watching.lists).toEqual([[]])
    expect(sent).toEqual(['Bearer old', 'Bearer new', 'Bearer new'])
  })
})
