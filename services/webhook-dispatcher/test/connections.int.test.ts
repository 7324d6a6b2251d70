import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Certificates, createCertificates } from '@surehook/scripts/receiver/certificates'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { patienceMs, until } from '@surehook/testing/until'
import { systemHostNames } from '../src/attempt/dns/host-names.ts'
import { Poster } from '../src/attempt/http/post.ts'
import type { AttemptResult } from '../src/transitions/decide-next-attempt.ts'
import { ProtocolReceiver, type Response, type Speaks } from './support/protocol-receiver.ts'

let certificates: Certificates
let open: AsyncDisposableStack
let poster: Poster
let receiver: ProtocolReceiver
/** Ends only a test that fails, unless the test shortens it for attempts that must reach it. */
let limits: { timeoutMs: number }
const shortMs = 2_000

beforeAll(async () => {
  certificates = await createCertificates()
})
beforeEach(() => {
  open = new AsyncDisposableStack()
  const options = {
    guard: new AddressGuard(['127.0.0.0/8', '::1/128'], systemHostNames({ timeoutMs: patienceMs })),
    extraCa: [certificates.ca],
    timeoutMs: patienceMs,
    connectionsPerOrigin: 64,
    maxPools: 10,
  }
  limits = options
  poster = open.use(new Poster(options))
})
afterEach(() => open.disposeAsync())

const listen = async (speaks: Speaks) => {
  receiver = open.use(await ProtocolReceiver.open(certificates, speaks))
}

const post = async (port = receiver.port) => {
  const url = `https://localhost:${port}/`
  const result = await poster.post({ tenant: 't', url, headers: {}, body: Buffer.from('{}') })
  // The connection can be reused after a turn of the event loop.
  await turn()
  return result
}

const many = (count: number, port?: number) =>
  Promise.all(Array.from({ length: count }, () => post(port)))

const failed = (results: readonly AttemptResult[]) =>
  results.filter((result) => !(result.kind === 'responded' && result.status === 204))

const both = ['HTTP/1.1 alone', 'HTTP/2 and HTTP/1.1'] as const

describe.each(both)('a receiver that speaks %s', (speaks) => {
  beforeEach(() => listen(speaks))

  it('gets HTTP/1.1 on reused connections', async () => {
    for (let round = 0; round < 5; round++) expect(failed(await many(16))).toEqual([])
    expect(new Set(receiver.versions)).toEqual(new Set(['1.1']))
    expect(receiver.sessions).toEqual([])
    expect(receiver.sockets.length).toBeLessThanOrEqual(16)
  })

  it('fails only the attempts in flight when connections are cut silently', async () => {
    const proxy = open.use(await TcpProxy.open(receiver.port))
    expect(failed(await many(2, proxy.port))).toEqual([])
    proxy.forget()
    limits.timeoutMs = shortMs
    const cut = many(2, proxy.port)
    limits.timeoutMs = patienceMs
    expect(failed(await many(62, proxy.port))).toEqual([])
    expect(await cut).toMatchObject([{ errorClass: 'timeout' }, { errorClass: 'timeout' }])
    expect(failed(await many(64, proxy.port))).toEqual([])
  })

  it('fails only the requests that hang', async () => {
    receiver.behave = (res, nth) => {
      if (nth > 3) res.writeHead(204).end()
    }
    limits.timeoutMs = shortMs
    const hanging = many(3)
    await until(() => receiver.versions.length === 3)
    limits.timeoutMs = patienceMs
    expect(failed(await many(37))).toEqual([])
    expect(await hanging).toMatchObject(
      Array.from({ length: 3 }, () => ({ errorClass: 'timeout' })),
    )
  })

  it('fails one attempt for each answer that it breaks off', async () => {
    receiver.behave = (res, nth) => {
      if (nth !== 5) return void res.writeHead(204).end()
      res.socket?.write('HTTP/1.1 204 No')
      res.socket?.end()
    }
    const results: AttemptResult[] = []
    for (let nth = 1; nth <= 10; nth++) results.push(await post())
    expect(failed(results)).toMatchObject([{ errorClass: 'refused' }])
    expect(receiver.versions).toHaveLength(10)
  })

  it('fails no attempt when it sends early hints first', async () => {
    receiver.behave = (res) => {
      res.writeEarlyHints({ link: '</style.css>; rel=preload' })
      res.writeHead(204).end()
    }
    for (let round = 0; round < 3; round++) expect(failed(await many(8))).toEqual([])
  })

  it('fails no attempt when it sends GOAWAY to every session', async () => {
    receiver.behave = (res) => {
      for (const session of receiver.sessions) session.goaway()
      res.writeHead(204).end()
    }
    for (let round = 0; round < 3; round++) expect(failed(await many(8))).toEqual([])
  })
})

it('has its own error class if it speaks only HTTP/2', async () => {
  await listen('HTTP/2 alone')
  expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'tls' })
})

describe('a reused connection that is closed before any byte of an answer', () => {
  const closings = {
    'when the request has come': (res: Response) => void res.socket?.destroy(),
    'by a reset': () => receiver.reset(),
  }
  beforeEach(() => listen('HTTP/1.1 alone'))

  it.each(Object.entries(closings))('costs no attempt: %s', async (_how, closing) => {
    receiver.behave = (res, nth) => {
      if (nth === 2) closing(res)
      else res.writeHead(204).end()
    }
    expect(failed([await post(), await post()])).toEqual([])
    expect(receiver.versions).toHaveLength(3)
    expect(receiver.sockets).toHaveLength(2)
  })

  it('fails no attempt of many when a receiver restarts', async () => {
    receiver.behave = (res, nth) => {
      if (nth <= 32) res.writeHead(204).end()
      else if (nth === 64) receiver.reset()
      else if (nth > 64) res.writeHead(204).end()
    }
    expect(failed(await many(32))).toEqual([])
    expect(failed(await many(32))).toEqual([])
    expect(receiver.versions).toHaveLength(96)
  })

  it('is followed by exactly one fresh connection', async () => {
    receiver.behave = (res, nth) => {
      if (nth === 1) res.writeHead(204).end()
      else res.socket?.destroy()
    }
    await post()
    expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'refused' })
    expect(receiver.versions).toHaveLength(3)
  })

  it('leaves the second request the remaining time of the attempt', async () => {
    const reused: Response[] = []
    receiver.behave = (res, nth) => {
      if (nth === 1) res.writeHead(204).end()
      else if (nth === 2) reused.push(res)
    }
    await post()
    limits.timeoutMs = shortMs
    const order: string[] = []
    const first = post().finally(() => order.push('first'))
    await until(() => reused.length === 1)
    const later = post().finally(() => order.push('later'))
    // With a limit of its own, the second request would outlast the later attempt.
    reused[0]?.socket?.destroy()
    const timeout = { kind: 'unreachable', errorClass: 'timeout' }
    expect(await Promise.all([first, later])).toMatchObject([timeout, timeout])
    expect(order).toEqual(['first', 'later'])
    expect(receiver.versions).toHaveLength(4)
  })
})

describe('nothing is sent twice', () => {
  beforeEach(() => listen('HTTP/1.1 alone'))

  it('when a fresh connection is closed', async () => {
    receiver.behave = (res) => void res.socket?.destroy()
    expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'refused' })
    expect(receiver.versions).toHaveLength(1)
  })

  it('when a byte of the answer has arrived', async () => {
    receiver.behave = (res, nth) => {
      if (nth === 1) res.writeHead(204).end()
      else res.socket?.end('H')
    }
    await post()
    expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'refused' })
    expect(receiver.versions).toHaveLength(2)
  })

  it('when an interim answer has arrived', async () => {
    receiver.behave = (res, nth) => {
      if (nth === 1) res.writeHead(204).end()
      else res.socket?.end('HTTP/1.1 102 Processing\r\n\r\n')
    }
    await post()
    expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'refused' })
    expect(receiver.versions).toHaveLength(2)
  })

  it('when the time limit has passed', async () => {
    receiver.behave = (res, nth) => {
      if (nth === 1) res.writeHead(204).end()
    }
    await post()
    limits.timeoutMs = shortMs
    expect(await post()).toMatchObject({ kind: 'unreachable', errorClass: 'timeout' })
    await until(() => receiver.sockets.every((one) => one.destroyed))
    expect(receiver.versions).toHaveLength(2)
  })
})
