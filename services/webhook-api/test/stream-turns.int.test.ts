import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { LogFetcher } from '@surehook/kafka/readers/log-fetcher'
import { openStream } from '@surehook/scripts/client/stream'
import { publishTenant } from '@surehook/testing/tenants'
import { logChanges } from './support/changes.ts'
import type { Tenant } from './support/under-test.ts'
import { fewStreams, useFewStreams } from './support/use-few-streams.ts'

const under = useFewStreams()
let open: DisposableStack

beforeEach(() => {
  open = new DisposableStack()
})
afterEach(() => {
  open.dispose()
  jest.restoreAllMocks()
})

async function openMany(
  count: number,
  tenant: Tenant,
  { api = under.service.api, query = '' } = {},
) {
  const opened = []
  for (let n = 0; n < count; n++) {
    opened.push(open.use(await openStream(api, tenant, { query })))
  }
  return opened
}

it('on a full replica, the newest stream of the largest project ends for a smaller one', async () => {
  const large = await openMany(5, await under.world.tenant())
  await openMany(3, await under.world.tenant())
  const [newcomer] = await openMany(1, await under.world.tenant())
  expect(newcomer?.status).toBe(200)
  await large[4]?.ended()
  expect(large.map(({ end }) => end)).toEqual([null, null, null, null, 'clean'])
  expect(large[4]?.comments.at(-1)).toBe('crowded')
})

it('streams of one project that catch up fetch one after another, of all its environments', async () => {
  const master = await under.world.tenant()
  const staging = await publishTenant(under.world, { ...master, environment: 'staging' })
  const text = 'x'.repeat(20_000)
  const changes = Array.from({ length: 90 }, (_, n) => ({ record: { n, text } }))
  for (const tenant of [master, staging]) await logChanges(under.world, tenant, changes)
  // Its recent changes begin behind these.
  const own = await under.world.startService({ streams: fewStreams })
  const fetching = countFetches()
  const reading = [
    ...(await openMany(4, master, { api: own.api, query: '?from=1h' })),
    ...(await openMany(3, staging, { api: own.api, query: '?from=1h' })),
  ]
  await Promise.all(reading.map((stream) => stream.arrived(90)))
  expect([fetching.most, fetching.all > 7]).toEqual([1, true])
  open.dispose()
  await own[Symbol.asyncDispose]()
})

/** Counts the fetches of streams behind the recent changes. */
function countFetches() {
  const { fetchAll } = LogFetcher.prototype
  const counts = { running: 0, most: 0, all: 0 }
  jest.spyOn(LogFetcher.prototype, 'fetchAll').mockImplementation(async function (
    this: LogFetcher,
    ...of
  ) {
    counts.all++
    counts.most = Math.max(counts.most, ++counts.running)
    try {
      return await fetchAll.apply(this, of)
    } finally {
      counts.running--
    }
  })
  return counts
}
