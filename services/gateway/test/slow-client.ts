import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type SlowRequest = {
  path: string
  /** As `X-Forwarded-For` names it. */
  client: string
  /** The header that frames the body. */
  framing: string
  /** The beginning of it. */
  body: string
}

/** A client that begins requests and leaves them. Disposing ends its connections. */
export type SlowClient = Disposable & {
  readonly sockets: readonly Socket[]
  /** Resolves with the connection once the beginning of the request has left. */
  begin(request: SlowRequest): Promise<Socket>
  /** The same with any bytes, from an address of this machine. */
  send(bytes: string, localAddress?: string): Promise<Socket>
}

export function openSlowClient(port: number): SlowClient {
  const sockets: Socket[] = []
  const send = async (bytes: string, localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
    return socket
  }
  return {
    sockets,
    send,
    begin: ({ path, client, framing, body }) =>
      send(
        `POST ${path} HTTP/1.1\r\nHost: g\r\nX-Forwarded-For: ${client}\r\n${framing}\r\n\r\n${body}`,
      ),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** All that comes until the connection closes. */
export function answerTo(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text))
  })
}
