import { connect } from 'node:tls'

/** Resolves to whether a server with a certificate from `ca` listens on the port. */
export function answersTls(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca, timeout: 1_000 })
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('secureConnect', () => finish(true))
    for (const event of ['timeout', 'error', 'close']) socket.once(event, () => finish(false))
  })
}
