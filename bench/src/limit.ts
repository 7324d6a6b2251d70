import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { BenchReceiver } from './receiver.ts'

/** What this machine does without the system: TLS POSTs of 1,200 bytes in a loop, per second. */
export async function tlsPostsPerSecond(
  receiver: BenchReceiver,
  { caFile, seconds }: { caFile: string; seconds: number },
): Promise<number> {
  const url = new URL(receiver.url('/limit'))
  const pool = new Pool(url.origin, { connections: 32, connect: { ca: readFileSync(caFile) } })
  const body = 'x'.repeat(1_200)
  const startedAt = performance.now()
  let posts = 0
  const worker = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const response = await pool.request({ method: 'POST', path: '/limit', body })
      await response.body.dump()
      posts++
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  const tookS = (performance.now() - startedAt) / 1000
  await pool.close()
  return posts / tookS
}
