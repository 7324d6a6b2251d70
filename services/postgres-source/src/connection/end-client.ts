import { boundedBy } from '@surehook/service-kit/bounded'
import type { Client } from 'pg'

const endsWithinMs = 2_000

/** Ends a connection, also one whose other end never closes it. */
export async function endClient(client: Client): Promise<void> {
  // Ending a lost connection fails, and nothing is left to end.
  const ended = client.end().catch(() => undefined)
  try {
    await boundedBy(endsWithinMs, ended, 'the connection did not end')
  } catch {
    client.connection.stream.destroy()
  }
}
