import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { headersOf } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { until } from '@surehook/testing/until'
import { type ChangeFields, logChanges } from './support/changes.ts'
import { openWorld, type Tenant, type World } from './support/under-test.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const text = 'x'.repeat(20_000)
const large = (count: number): ChangeFields[] =>
  Array.from({ length: count }, (_, n) => ({ recordId: 'one', record: { n, text } }))
const numbersIn = (answer: string) =>
  [...answer.matchAll(/"record":\{"n":(\d+)/g)].map(([, n]) => Number(n))

/** A client that reads its socket only when the test says so. */
async function openUnread(api: string, tenant: Tenant): Promise<Socket> {
  const { hostname, port } = new URL(api)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const headers = { host: hostname, ...headersOf(tenant) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.pause().setEncoding('utf8')
  socket.write(`GET /api/rest/_stream HTTP/1.1\r\n${lines.join('')}\r\n`)
  return socket
}

function usedMiB(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}

describe('a client that does not read', () => {
  it('costs no memory, delays nobody, and gets everything in order once it reads', async () => {
    await using service = await world.startService()
    const tenant = await world.tenant()
    const socket = await openUnread(service.api, tenant)
    using other = await openStream(service.api, tenant, { query: '?select=n' })
    await logChanges(world, tenant, [{ record: { n: -1 } }])
    await other.arrived(1)
    const before = usedMiB()
    // The bodies take 120 MB. Sockets and the recent changes hold some of them.
    for (let n = 0; n < 30; n++) await logChanges(world, tenant, large(100))
    await other.arrived(1 + 3_000)
    expect(usedMiB() - before).toBeLessThan(90)

    let answer = ''
    socket.on('data', (chunk: string) => (answer += chunk))
    socket.resume()
    await until(() => numbersIn(answer).length >= 3_000, {
      what: () => `the events that were missed: ${numbersIn(answer).length}`,
      timeoutMs: 90_000,
      everyMs: 500,
    })
    const hundred = Array.from({ length: 100 }, (_, n) => n)
    expect(numbersIn(answer)).toEqual(Array.from({ length: 30 }, () => hundred).flat())
    socket.destroy()
  })
})
