import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { isFree } from '../lib/ports.ts'

export type TestReceiver = AsyncDisposable & { readonly url: string }

/** Port of the test receiver of `npm start`, unless `TEST_RECEIVER_PORT` names another. */
export const testReceiverPort = 9444

type ReceiverFiles = { certificateFile: string; keyFile: string }

/**
 * A receiver for users who have none yet. It checks no signature, and answers 204, or the status in
 * `?status=503`. If the port is taken, it listens on a free one.
 */
export async function openTestReceiver(
  { certificateFile, keyFile }: ReceiverFiles,
  port: number,
): Promise<TestReceiver> {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)])
  const server = createServer({ cert, key }, (req, res) => {
    req.resume()
    req.once('end', () => res.writeHead(statusIn(req.url ?? '')).end())
  })
  server.listen((await isFree(port)) ? port : 0, '127.0.0.1')
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `https://localhost:${bound}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The status that the query of a URL asks for. */
export function statusIn(url: string): number {
  const status = Number(new URL(url, 'https://localhost').searchParams.get('status'))
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 204
}
