import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type SlowRequest = {
  path: string
  /** The address in `X-Forwarded-For`. */
  client: string
  /** The header that frames the body. */
  framing: string
  /** The first part of the body. */
  body: string
}

/** A client that starts requests without finishing them. Disposing closes its connections. */
export type SlowClient = Disposable & {
  readonly sockets: readonly Socket[]
  /** Resolves with the connection once the first part of the request was sent. */
  begin(request: SlowRequest): Promise<Socket>
  /** Sends any bytes, optionally from another address of this machine. */
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

/** Returns everything received until the connection closes. */
export function answerTo(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text))
  })
}
