import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Certificates, createCertificates } from '@surehook/scripts/receiver/certificates'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { until } from '@surehook/testing/until'
import { systemHostNames } from '../src/attempt/dns/host-names.ts'
import { Poster } from '../src/attempt/http/post.ts'
import { HostileServer, type Trick } from './support/hostile-server.ts'

let certificates: Certificates
let open: AsyncDisposableStack
let poster: Poster

beforeAll(async () => {
  certificates = await createCertificates()
})
beforeEach(() => {
  open = new AsyncDisposableStack()
  poster = newPoster([certificates.ca])
})
afterEach(() => open.disposeAsync())

const loopback = ['127.0.0.0/8', '::1/128']

function newPoster(
  extraCa: string[],
  guard = new AddressGuard(loopback, systemHostNames({ timeoutMs: 1_000 })),
  timeoutMs = 1_000,
) {
  const limits = { timeoutMs, connectionsPerOrigin: 8, maxPools: 10 }
  return open.use(new Poster({ guard, extraCa, ...limits }))
}

const hostile = async (trick: Trick, { key, cert } = certificates) =>
  open.use(await HostileServer.open({ key, cert }, trick))

const post = (url: string, by = poster) =>
  by.post({ tenant: 't', url, headers: {}, body: Buffer.from('{}') })

/** The most bytes that the kernel's buffers hold in both directions. */
const kernelBuffers = 16 * 1024 * 1024

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const withHeader = (line: string) => ok.replace('\r\n', `\r\n${line}\r\n`)
const block = Buffer.alloc(65_536, 'a')
const then =
  (text: string): Trick =>
  (socket, server) =>
    server.send(socket, text)
const flood =
  (text: string, more: string | Buffer = block): Trick =>
  (socket, server) => {
    server.send(socket, text)
    server.flood(socket, more)
  }
const drip =
  (text: string, more: string): Trick =>
  (socket, server) => {
    server.send(socket, text)
    server.drip(socket, more)
  }
const close =
  (text: string): Trick =>
  (socket, server) => {
    server.send(socket, text)
    socket.end()
  }

describe('one attempt fails, with its class of error', () => {
  it.each<[string, Trick, object]>([
    ['a status line without end', flood('HTTP/1.1 200 '), { errorClass: 'http' }],
    ['a version without end', flood('HTTP/'), { errorClass: 'http' }],
    [
      'interim answers without end',
      flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(999)),
      { errorClass: 'http' },
    ],
    ['an interim answer alone', then('HTTP/1.1 100 Continue\r\n\r\n'), { errorClass: 'timeout' }],
    [
      'another protocol',
      then('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
      { errorClass: 'http' },
    ],
    ['a status line byte by byte', drip('', 'HTTP/1.1 200'), { errorClass: 'timeout' }],
    ['half a status line', close('HTTP/1.1 200 O'), { errorClass: 'refused' }],
    ['a status of four digits', then('HTTP/1.1 2000 OK\r\n\r\n'), { errorClass: 'http' }],
    ['no answer', () => {}, { errorClass: 'timeout' }],
    ['no HTTP', then('SSH-2.0-OpenSSH_9.6\r\n'), { errorClass: 'http' }],
    ['a closed connection', (socket) => socket.destroy(), { errorClass: 'refused' }],
    ['a reset connection', (_socket, server) => server.reset(), { errorClass: 'refused' }],
    ['HTTP/1.0 with an error', close('HTTP/1.0 503 No\r\n\r\n'), { status: 503 }],
    ['an error without end', flood('HTTP/1.1 500 No\r\n\r\n'), { status: 500 }],
    ['an error with an odd header', then('HTTP/1.1 503 No\r\nP3P : x\r\n\r\n'), { status: 503 }],
  ])('%s', async (_what, trick, expected) => {
    const server = await hostile(trick)
    expect(await post(server.url)).toMatchObject(expected)
    await isOver(server)
  })
})

describe('one attempt succeeds, by the status received', () => {
  it.each<[string, Trick, object]>([
    [
      'a body without end',
      flood('HTTP/1.1 200 OK\r\n\r\n'),
      { answer: 'a'.repeat(4096), isCut: true },
    ],
    ['a body byte by byte', drip('HTTP/1.1 200 OK\r\n\r\n', 'b'.repeat(999)), {}],
    ['a chunk’s extension without end', flood(`${chunked}1;`), {}],
    ['trailers without end', flood(`${chunked}0\r\nx: `), {}],
    ['HTTP/1.0', close('HTTP/1.0 200 OK\r\n\r\nok'), { answer: 'ok' }],
    ['an interim answer first', then(`HTTP/1.1 100 Continue\r\n\r\n${ok}`), { answer: 'ok' }],
    ['headers without end', flood('HTTP/1.1 200 OK\r\nx: '), { isCut: true }],
    ['many headers', flood('HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(999)), { isCut: true }],
    ['headers byte by byte', drip('HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(999)), { isCut: true }],
    ['half a head', close('HTTP/1.1 200 OK\r\nx: '), { isCut: true }],
    ['20 KB of headers', then(withHeader(`x: ${'y'.repeat(20_000)}`)), { answer: 'ok' }],
    ['a folded header', then(withHeader('x: y\r\n z')), {}],
    ['a control character', then(withHeader('x: \x01')), {}],
    ['a space before the colon', then(withHeader('P3P : CP="no"')), {}],
    ['a header without a name', then(withHeader(': y')), {}],
    ['no colon', then(withHeader('x')), {}],
    ['lines that end with LF', then(ok.replaceAll('\r\n', '\n')), {}],
    ['no reason', then(ok.replace(' OK', '')), { answer: 'ok' }],
    ['an odd reason', then(ok.replace('OK', '\xe9\x01')), {}],
    ['two lengths', then(withHeader('content-length: 3')), {}],
    ['a length and chunks', then(withHeader('transfer-encoding: chunked')), {}],
    ['a wrong chunk', then(`${chunked}zz\r\n`), {}],
    ['an interim answer with LF', then(`HTTP/1.1 103 Hints\nx : y\n\n${ok}`), { answer: 'ok' }],
    ['an empty line first', then(`\r\n${ok}`), { answer: 'ok' }],
    [
      'an empty line before an interim answer',
      then(`\r\nHTTP/1.1 100 Continue\r\n\r\n${ok}`),
      { answer: 'ok' },
    ],
    ['two spaces in the status line', then(ok.replace(' ', '  ')), {}],
    ['204 with a body', then('HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\nok'), { status: 204 }],
    ['an answer, then the end', close(ok), { answer: 'ok', isCut: false }],
  ])('%s', async (_what, trick, expected) => {
    const server = await hostile(trick)
    const succeeded = { kind: 'responded', status: 200, ...expected }
    expect(await post(server.url)).toMatchObject(succeeded)
    expect(await post(server.url)).toMatchObject(succeeded)
    expect(server.requests).toBe(2)
    expect(server.taken).toBeLessThan(2 * kernelBuffers)
  })

  it('interim answers byte by byte', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTT'
    const server = await hostile(drip(interim, ok.slice(3)))
    // The bytes take 200 ms, and on a busy machine longer than a second.
    const patient = newPoster([certificates.ca], undefined, 60_000)
    expect(await post(server.url, patient)).toMatchObject({ kind: 'responded', status: 200 })
    expect(server.requests).toBe(1)
  })

  it('a compressed answer, which stays as it is', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024))
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
    const server = await hostile((socket, by) => {
      by.send(socket, head)
      by.send(socket, bomb)
    })
    const result = await post(server.url)
    expect(result).toMatchObject({ status: 200 })
    const kept = bomb.subarray(0, 4096).toString('utf8').replaceAll('\0', '\uFFFD')
    expect(result.kind === 'responded' && result.answer).toBe(kept)
  })
})

/** The attempt cost one request, took no more than the buffers hold, and left no connection. */
async function isOver(server: HostileServer): Promise<void> {
  expect(server.requests).toBe(1)
  await until(() => server.open === 0)
  expect(server.taken).toBeLessThan(kernelBuffers)
}

describe('a certificate', () => {
  const day = 86_400_000
  it.each([
    ['expired', { notAfter: new Date(Date.now() - day) }, /expired/],
    ['of another host', { names: ['elsewhere.example'] }, /does not name the host/],
  ])('that is %s ends the attempt before anything is sent', async (_what, options, message) => {
    const certified = await createCertificates(options)
    const server = await hostile(then(ok), certified)
    const result = await post(server.url, newPoster([certified.ca]))
    expect(result).toMatchObject({ errorClass: 'tls', message: expect.stringMatching(message) })
    expect(server.requests).toBe(0)
  })

  it('of an unknown authority does too', async () => {
    const server = await hostile(then(ok), await createCertificates())
    expect(await post(server.url)).toMatchObject({ errorClass: 'tls' })
    expect(server.requests).toBe(0)
  })
})

describe('a server without TLS', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['that says nothing', () => {}, 'timeout'],
    ['that speaks HTTP', (socket) => socket.end(ok), 'tls'],
    [
      'that never ends a handshake',
      (socket) => void socket.write('\x16\x03\x03\x40\x00\x02'),
      'timeout',
    ],
    ['that hangs up', (socket) => socket.resetAndDestroy(), 'refused'],
  ])('%s', async (_what, trick, errorClass) => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      // The peer resets the connection as a reaction.
      socket.on('error', () => {})
      socket.once('data', () => trick(socket))
    })
    open.defer(async () => {
      for (const socket of sockets) socket.destroy()
      await server[Symbol.asyncDispose]()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await post(`https://localhost:${port}/`)).toMatchObject({ errorClass })
    expect(sockets).toHaveLength(1)
    await until(() => sockets.every(({ destroyed }) => destroyed))
  })
})

describe('an address that is not allowed', () => {
  const inside = async () => open.use(await HostileServer.open(certificates, then(ok), '127.0.0.2'))
  const namesAnswering = (...answers: string[][]) => {
    let asked = 0
    const resolve = () => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
      return Promise.resolve(addresses.map((address) => ({ address, family: 4 })))
    }
    const guard = new AddressGuard(['127.0.0.1/32'], { resolve })
    return { poster: newPoster([certificates.ca], guard), asked: () => asked }
  }

  it('is not reached through a redirect', async () => {
    const target = await inside()
    const location = `https://127.0.0.2:${target.port}/`
    const server = await hostile(
      then(`HTTP/1.1 307 Go\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    )
    expect(await post(server.url)).toMatchObject({ kind: 'responded', status: 307 })
    expect(target.connections).toBe(0)
  })

  it('is not reached by a name that resolves differently the next time', async () => {
    const target = await inside()
    const url = `https://localhost:${target.port}/`
    const names = namesAnswering(['127.0.0.1'], ['127.0.0.2'])
    // Nothing listens there. The refused connection shows that the checked address was the one
    // connected to.
    expect(await post(url, names.poster)).toMatchObject({ errorClass: 'refused' })
    expect(names.asked()).toBe(1)
    expect(await post(url, names.poster)).toMatchObject({ errorClass: 'ssrf_blocked' })
    expect(target.connections).toBe(0)
  })

  it('is not reached by a name that also has an allowed address', async () => {
    const target = await inside()
    const names = namesAnswering(['127.0.0.1', '127.0.0.2'])
    const url = `https://localhost:${target.port}/`
    expect(await post(url, names.poster)).toMatchObject({ errorClass: 'ssrf_blocked' })
    expect(target.connections).toBe(0)
  })
})
