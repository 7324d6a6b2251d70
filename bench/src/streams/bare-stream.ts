import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { BenchProject } from '../platform/platform.ts'

export type BareStream = AsyncDisposable & {
  /** Resolves when so many events have come. */
  received(count: number): Promise<void>
}

const needle = Buffer.from('\nevent: ')
const agent = new Agent({ keepAlive: false })

/**
 * Opens a stream through the gateway, and only counts its events: parsing would cost the bench
 * more.
 */
export async function openBareStream(
  { system, headers }: BenchProject,
  query: string,
): Promise<BareStream> {
  const asked = request(`${system.baseUrl}/gw/api/rest/_stream${query}`, { headers, agent }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`_stream answered ${answer.statusCode}`)
  let events = 0
  let tail = Buffer.alloc(0)
  const waiting: { count: number; resolve: () => void }[] = []
  answer.on('data', (chunk: Buffer) => {
    const bytes = Buffer.concat([tail, chunk])
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) events += 1
    tail = Buffer.from(bytes.subarray(1 - needle.length))
    for (const { count, resolve } of waiting) if (events >= count) resolve()
  })
  // The bench ends its streams itself.
  answer.on('error', () => undefined)
  return {
    received(count) {
      if (events >= count) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      return promise
    },
    async [Symbol.asyncDispose]() {
      asked.destroy()
    },
  }
}
