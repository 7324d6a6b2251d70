import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { afterEach, describe, expect, it } from '@jest/globals'
import { signingKeys } from '@surehook/matching/signed-headers'
import { UsageError } from '../cli/command.ts'
import { forward } from './forward.ts'
import { receiverTls, receiverUrl } from './receiver-address.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function listen(server: Server, port = 0): Promise<number> {
  open.push(server)
  server.listen(port, 'localhost')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function sent(to: string, tls = receiverTls(undefined, false), timeoutMs = 2_000) {
  const change = { cursor: 'a', headers: { 'x-service-event': 'INSERT' }, body: '{}' }
  const { signal } = new AbortController()
  return forward(change, {
    ...{ to: receiverUrl(to), tls, signal, timeoutMs },
    keys: signingKeys(`whsec_${Buffer.alloc(32).toString('base64')}`),
  })
}

describe('a change is forwarded', () => {
  const accept = () =>
    createServer((req, res) => void req.resume().on('end', () => res.writeHead(204).end()))

  it.each([10080, 6000, 5060])('to port %i, which browsers forbid', async (port) => {
    await listen(accept(), port)
    expect(await sent(`${port}`)).toMatchObject({ status: 204, error: null })
  })

  it('once, also if the receiver redirects', async () => {
    const server = createServer((_req, res) => res.writeHead(302, { location: '/' }).end())
    expect(await sent(`localhost:${await listen(server)}/x`)).toMatchObject({ status: 302 })
  })

  it('with the reason if the receiver does not answer', async () => {
    const port = await listen(createServer(() => {}))
    const answer = await sent(`${port}`, undefined, 50)
    expect([answer.status, answer.error]).toEqual([null, expect.stringContaining('timeout')])
  })
})

describe('--forward-to', () => {
  it.each([
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['45753', 'http://localhost:45753/'],
    [' 3000/hook?a=1 ', 'http://localhost:3000/hook?a=1'],
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['receiver', 'http://receiver/'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['[::1]:3000', 'http://[::1]:3000/'],
    ['http://[::1]:3000', 'http://[::1]:3000/'],
    ['HTTPS://Dev.Example', 'https://dev.example/'],
  ])('%s is %s', (text, url) => {
    expect(receiverUrl(text).href).toBe(url)
  })

  it.each([
    ...[
      '',
      ' ',
      '0',
      '65536',
      '99999999',
      '-1',
      '3000x y',
      '1.2',
      '0x7f.1',
      '127.1:80',
      '2130706433:80',
    ],
    ...[
      'http://3000',
      'ftp://localhost',
      'mailto:a@b.c',
      'localhost:',
      'https:/localhost',
      'https:3000',
      'http:///localhost',
      'http://\\localhost',
      'http://',
    ],
    ...[
      '/hook',
      '//localhost',
      '\\\\localhost',
      'localhost:99999',
      'localhost:0',
      'file:///etc/passwd',
      'ws://localhost',
    ],
  ])('"%s" is refused', (text) => {
    expect(() => receiverUrl(text)).toThrow(UsageError)
  })
})
