import { once } from 'node:events'
import { connect, createServer } from 'node:net'

// Below the kernel's ephemeral range: an outgoing connection can never take the port of a
// component that was killed and is about to come back on it.
// Processes that choose at the same time, as Jest's workers do, choose from parts of their own.
const portCount = 3_000
const firstPort = 20_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % 4) * portCount
const handedOut = new Set<number>()

/** A free loopback port that this process has not handed out before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = firstPort + Math.floor(Math.random() * portCount)
    if (handedOut.has(port) || !(await isFree(port))) continue
    handedOut.add(port)
    return port
  }
  throw new Error(`no free port found from ${firstPort} on`)
}

/** Whether a server could listen on the port right now. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen({ port, host, exclusive: true })
  if (!(await listening)) return false
  await new Promise((resolve) => server.close(resolve))
  return true
}

/** Sends `payload` once connected and answers with the first bytes back, or null when nobody answers. */
export function askPort(
  port: number,
  payload: Buffer | string,
  host = '127.0.0.1',
): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 })
    const finish = (answer: Buffer | null) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => socket.write(payload))
    socket.once('data', (data: Buffer) => finish(data))
    socket.once('timeout', () => finish(null))
    socket.once('error', () => finish(null))
    socket.once('close', () => finish(null))
  })
}
