import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'

export type TestReceiver = AsyncDisposable & { readonly url: string }

/** Port of the test receiver of `npm start`, unless `TEST_RECEIVER_PORT` names another. */
export const testReceiverPort = 9444

type ReceiverFiles = { certificateFile: string; keyFile: string }

/**
 * A receiver for users who have none yet. It checks no signature, and answers 204, or the status in
 * `?status=503`. Returns null if the port is taken.
 */
export async function openTestReceiver(
  { certificateFile, keyFile }: ReceiverFiles,
  port: number,
): Promise<TestReceiver | null> {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)])
  const server = createServer({ cert, key }, (req, res) => {
    req.resume()
    req.once('end', () => res.writeHead(statusIn(req.url ?? '')).end())
  })
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EADDRINUSE') return null
    throw err
  }
  return {
    url: `https://localhost:${port}/`,
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
