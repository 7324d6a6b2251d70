import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'

let server: Server
let proxy: TcpProxy
/** Data that the server has received. */
let heard: string
let taken: Socket[]

beforeEach(async () => {
  heard = ''
  taken = []
  server = createServer((socket) => {
    taken.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      heard += String(data)
      socket.write(`${data}!`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy = await TcpProxy.open((server.address() as AddressInfo).port)
})
afterEach(async () => {
  await proxy[Symbol.asyncDispose]()
  for (const socket of taken) socket.destroy()
  await new Promise((closed) => server.close(closed))
})

async function open() {
  const socket = connect(proxy.port, '127.0.0.1')
  const seen = { text: '', ended: false }
  socket.on('data', (data) => (seen.text += String(data)))
  socket.on('error', () => undefined)
  socket.on('close', () => (seen.ended = true))
  await new Promise((done) => socket.once('connect', done).once('close', done))
  return { socket, seen }
}

it('forwards data, and closes one side when the other closes', async () => {
  const { socket, seen } = await open()
  socket.write('a')
  await until(() => seen.text === 'a!')
  socket.end()
  await until(() => seen.ended)
})

it('delivers dropped data in order when the link passes again', async () => {
  const { socket, seen } = await open()
  socket.write('a')
  await until(() => seen.text === 'a!')
  proxy.set({ kind: 'drop' })
  socket.write('b')
  socket.write('c')
  const late = await open()
  late.socket.write('d')
  await wait(100)
  expect([heard, taken.length, seen.ended, late.seen.ended]).toEqual(['a', 1, false, false])
  proxy.set({ kind: 'pass' })
  await until(() => seen.text === 'a!bc!' && late.seen.text === 'd!')
})

it('resets connections, old and new', async () => {
  const { seen } = await open()
  proxy.set({ kind: 'reset' })
  await until(() => seen.ended)
  const { seen: next } = await open()
  await until(() => next.ended)
})

it('drops forgotten connections silently, and passes new ones', async () => {
  const { socket, seen } = await open()
  socket.write('a')
  await until(() => seen.text === 'a!')
  proxy.forget()
  socket.write('b')
  const fresh = await open()
  fresh.socket.write('c')
  await until(() => fresh.seen.text === 'c!')
  expect([heard, seen.text, seen.ended, proxy.connections]).toEqual(['ac', 'a!', false, 2])
})

it('adds the configured delay in each direction', async () => {
  const { socket, seen } = await open()
  socket.write('a')
  await until(() => seen.text === 'a!')
  proxy.set({ kind: 'delay', ms: 100 })
  const sentAt = performance.now()
  socket.write('b')
  await until(() => seen.text === 'a!b!')
  expect(performance.now() - sentAt).toBeGreaterThanOrEqual(199)
})
