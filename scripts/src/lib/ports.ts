import { once } from 'node:events'
import { connect, createServer } from 'node:net'

// Below the kernel's ephemeral ports, so that no outgoing connection takes the port of a component
// that is being restarted. Concurrent processes, such as Jest's workers, use separate ranges.
const portCount = 3_000
const firstPort = 20_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % 4) * portCount
const handedOut = new Set<number>()

/** Returns a free loopback port that this process has not returned before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = firstPort + Math.floor(Math.random() * portCount)
    if (handedOut.has(port) || !(await isFree(port))) continue
    handedOut.add(port)
    return port
  }
  throw new Error(`no free port found from ${firstPort} on`)
}

/** Returns whether a server could listen on the port now. */
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

/**
 * Returns whether a server listens on the port. Does not take the port even for a moment, so a server
 * may start meanwhile.
 */
export async function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect({ port, host })
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

/** Sends `payload` and resolves with the first bytes of the answer, or `null` without one. */
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
