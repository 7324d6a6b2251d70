import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export type RawAnswer = { status: number; head: string; body: string }

/** Sends bytes as they are: clients that normalise paths and headers cannot test what does not. */
export async function rawRequest(port: number, request: string): Promise<RawAnswer> {
  const answer = await rawExchange(port, request)
  const [head = '', ...body] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') }
}

/** Sends bytes as they are; all that comes until the connection ends. */
export async function rawExchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

/** A request line with what HTTP/1.1 asks for; the connection ends with the answer. */
export function rawGet(port: number, target: string, headers = ''): Promise<RawAnswer> {
  return rawRequest(
    port,
    `GET ${target} HTTP/1.1\r\nHost: g\r\n${headers}Connection: close\r\n\r\n`,
  )
}
