import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export type RawAnswer = { status: number; head: string; body: string }

/** Sends raw bytes: other clients normalise paths and headers, which these tests must not. */
export async function rawRequest(port: number, request: string): Promise<RawAnswer> {
  const answer = await rawExchange(port, request)
  const [head = '', ...body] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') }
}

/** Sends raw bytes. Returns everything received until the connection ends. */
export async function rawExchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

/** Sends a minimal HTTP/1.1 request. The connection ends after the answer. */
export function rawGet(port: number, target: string, headers = ''): Promise<RawAnswer> {
  return rawRequest(
    port,
    `GET ${target} HTTP/1.1\r\nHost: g\r\n${headers}Connection: close\r\n\r\n`,
  )
}
