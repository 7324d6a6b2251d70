import { connect, type Socket } from 'node:net'
import type { SlowConnectionsOptions, SlowReport } from './slow-connections.ts'

/**
 * Reopens each connection one second after the peer has closed it, so that about the requested
 * number stays open. Reopening at once would be a flood of new connections, which is a different
 * load.
 */
const { port, count, clients, head, body } = JSON.parse(
  process.argv[2] ?? '{}',
) as SlowConnectionsOptions
const sockets = new Set<Socket>()
const request = body === null ? head : `${head}\r\n\r\n${body}`
const answers: Record<string, number> = {}
const firstOpen: Promise<void>[] = []
const reopenAfterMs = 1_000
let ended = 0

process.once('disconnect', () => process.exit(0))

for (let n = 0; n < count; n++) firstOpen.push(new Promise((resolve) => open(n, resolve)))
await Promise.all(firstOpen)
process.on('message', () => report())
report()

function report(): void {
  const sums: SlowReport = { open: sockets.size, ended, answers }
  process.send?.(sums)
}

function open(n: number, opened: () => void): void {
  const localAddress = `127.0.1.${1 + (n % clients)}`
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    sockets.add(socket)
    socket.write(request, opened)
  })
  socket.once('data', (chunk) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 'other'
    answers[status] = (answers[status] ?? 0) + 1
  })
  // Discards the gateway's answer; `close` follows.
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    sockets.delete(socket)
    ended++
    setTimeout(() => open(n, opened), reopenAfterMs)
  })
}
