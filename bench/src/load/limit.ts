import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import type { Bench } from '../platform/open-bench.ts'

/** Measures the machine without the system: TLS POSTs of 1,200 bytes in a loop, per second. */
export async function tlsPostsPerSecond(
  { receiver, tls }: Bench,
  seconds: number,
): Promise<number> {
  const url = new URL(receiver.url('/limit'))
  const pool = new Pool(url.origin, { connections: 32, connect: { ca: readFileSync(tls.ca) } })
  const body = 'x'.repeat(1_200)
  const startedAt = performance.now()
  let posts = 0
  const worker = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      // Each request has a new id, because the receiver remembers ids of deliveries too.
      const headers = { 'webhook-id': randomUUID() }
      const response = await pool.request({ method: 'POST', path: '/limit', headers, body })
      await response.body.dump()
      posts++
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  const tookS = (performance.now() - startedAt) / 1000
  await pool.close()
  return posts / tookS
}
