import { expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { capturePrefix } from '../src/emit/capture.ts'
import { type CaptureContent, CapturePlugin } from '../src/relay/capture-plugin.ts'
import { ReplicationStream } from '../src/relay/replication-stream.ts'
import { parseLsn } from '../src/slot/lsn.ts'
import { createCaptureDatabase, service, write } from './capture-database.ts'

const textOf = (content: CaptureContent) => (content.tag === 'message' ? content.text : '')

it('passes nothing else, and reaches nothing, while content is waited for', async () => {
  await using db = await createCaptureDatabase()
  const passed: string[] = []
  let reached = 0n
  const gate = Promise.withResolvers<void>()
  await using stream = new ReplicationStream({
    ...{
      connection: { connectionString: db.url },
      slot: db.slot,
      applicationName: 'test',
      confirmed: 1n,
    },
    plugin: new CapturePlugin({ publication: 'surehook_capture', prefix: capturePrefix(service) }),
    content(content) {
      const text = textOf(content).split('\n')[1] ?? ''
      passed.push(text)
      return text.startsWith('wait') ? gate.promise : undefined
    },
    reached(lsn) {
      reached = lsn
    },
  })
  await stream.start()
  const first = parseLsn(await write(db.pool, 'a'))
  await until(() => reached > first)
  const before = reached
  // In one commit, so that they arrive together.
  const one = await db.pool.connect()
  await one.query('begin')
  for (const body of ['wait 1', 'b', 'wait 2', 'c']) await write(one, body)
  await one.query('commit')
  one.release()
  const last = parseLsn(await write(db.pool, 'd'))
  await until(() => passed.length === 2)
  // A pause and its end by the reader do not let messages through.
  stream.pause()
  stream.resume()
  await write(db.pool, 'e')
  expect([passed, reached]).toEqual([['a', 'wait 1'], before])
  gate.resolve()
  await until(() => passed.length === 7)
  expect(passed).toEqual(['a', 'wait 1', 'b', 'wait 2', 'c', 'd', 'e'])
  await until(() => reached > last)
})

it('ends when content is refused later, and passes nothing after it', async () => {
  await using db = await createCaptureDatabase()
  const passed: string[] = []
  await using stream = new ReplicationStream({
    ...{
      connection: { connectionString: db.url },
      slot: db.slot,
      applicationName: 'test',
      confirmed: 1n,
    },
    plugin: new CapturePlugin({ publication: 'surehook_capture', prefix: capturePrefix(service) }),
    async content(content) {
      passed.push(textOf(content))
      throw new Error('refused')
    },
    reached: () => undefined,
  })
  await stream.start()
  await write(db.pool, 'a')
  await write(db.pool, 'b')
  await expect(stream.ended).rejects.toThrow('refused')
  expect(passed).toHaveLength(1)
})

it('goes on after the time limit of statements, which its own statement never meets', async () => {
  await using db = await createCaptureDatabase()
  const passed: string[] = []
  await using stream = new ReplicationStream({
    connection: { connectionString: db.url, query_timeout: 100 },
    ...{ slot: db.slot, applicationName: 'test', confirmed: 1n },
    plugin: new CapturePlugin({ publication: 'surehook_capture', prefix: capturePrefix(service) }),
    content: (content) => void passed.push(textOf(content)),
    reached: () => undefined,
  })
  await stream.start()
  const ended = stream.ended.catch((err: unknown) => err)
  // Longer than the limit, by the clock of the server.
  const later = db.pool.query('select pg_sleep(1)').then(() => 'still open')
  expect(await Promise.race([ended, later])).toBe('still open')
  await write(db.pool, 'a')
  await until(() => passed.length === 1)
})
