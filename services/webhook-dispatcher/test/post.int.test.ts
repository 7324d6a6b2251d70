import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Certificates } from '@surehook/scripts/receiver/certificates'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { systemHostNames } from '../src/attempt/dns/host-names.ts'
import type { PosterOptions } from '../src/attempt/http/post.ts'
import { Poster } from '../src/attempt/http/post.ts'
import { ProtocolReceiver } from './support/protocol-receiver.ts'

let certificates: Certificates
let receiver: Receiver
let poster: Poster | undefined

beforeAll(async () => {
  certificates = await createCertificates()
  receiver = await openReceiver(certificates)
})
afterAll(async () => receiver[Symbol.asyncDispose]())
afterEach(async () => poster?.[Symbol.asyncDispose]())

function open(change: Partial<PosterOptions> = {}): Poster {
  poster = new Poster({
    guard: new AddressGuard(['127.0.0.0/8', '::1/128'], systemHostNames({ timeoutMs: 1_000 })),
    extraCa: [certificates.ca],
    timeoutMs: 1_000,
    connectionsPerOrigin: 8,
    maxPools: 10,
    ...change,
  })
  return poster
}

const exchange = (url: string, tenant = 't') => ({
  tenant,
  url,
  headers: {},
  body: Buffer.from('{}'),
})

describe('an answer whose status came', () => {
  it.each([
    ['slow', 200],
    ['slow', 500],
    ['reset', 200],
    ['reset', 500],
    ['endless', 200],
    ['endless', 500],
  ] as const)('counts by it though its body is %s: %d', async (broken, status) => {
    await using server = await ProtocolReceiver.open(certificates, 'HTTP/1.1 alone')
    server.behave = (res) => {
      res.writeHead(status, broken === 'reset' ? { 'content-length': 100 } : {})
      const more = () => {
        if (res.socket === null || res.socket.destroyed) return
        res.write('.')
        setTimeout(more, 100).unref()
      }
      res.write('so far', () => {
        if (broken === 'reset') res.socket?.destroy()
        if (broken === 'endless') more()
      })
    }
    const result = await open().post(exchange(`https://localhost:${server.port}/`))
    expect(result).toMatchObject({ kind: 'responded', status })
    expect(result.kind === 'responded' && result.answer).toMatch(/^so far/)
    expect(result).toMatchObject({ isCut: true })
    expect(result.latencyMs).toBeLessThan(5_000)
  })
})

describe('connections', () => {
  it('of one tenant to an origin are not shared with another', async () => {
    receiver.answer('/hang', () => 'hang')
    const { post } = bound(open({ connectionsPerOrigin: 1 }))
    const hanging = post(exchange(receiver.url('/hang'), 'a'))
    await receiver.waitFor('/hang', 1)
    expect(await post(exchange(receiver.url('/ok'), 'b'))).toMatchObject({ status: 204 })
    expect(await hanging).toMatchObject({ errorClass: 'timeout' })
  })

  it('are closed for others only when their requests have ended', async () => {
    receiver.answer('/late', () => ({ status: 200, delayMs: 500 }))
    const { post } = bound(open({ maxPools: 1 }))
    const late = post(exchange(receiver.url('/late'), 'a'))
    await receiver.waitFor('/late', 1)
    expect(await post(exchange(receiver.url('/ok'), 'b'))).toMatchObject({ status: 204 })
    expect(await late).toMatchObject({ status: 200 })
  })
})

describe('a tenant with more origins than pools are kept', () => {
  it("does not close another tenant's open connection", async () => {
    const { post } = bound(open({ maxPools: 4 }))
    await using closing = new AsyncDisposableStack()
    const one = closing.use(await ProtocolReceiver.open(certificates, 'HTTP/1.1 alone'))
    const others = await Promise.all(Array.from({ length: 5 }, () => openReceiver(certificates)))
    for (const other of others) closing.use(other)
    await post(exchange(`https://localhost:${one.port}/`, 'modest'))
    for (const other of others) await post(exchange(other.url('/'), 'greedy'))
    await post(exchange(`https://localhost:${one.port}/`, 'modest'))
    expect(one.sockets).toHaveLength(1)
  })
})

const bound = (of: Poster) => ({ post: of.post.bind(of) })
