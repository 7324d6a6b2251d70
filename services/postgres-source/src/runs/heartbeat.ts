import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { heartbeatPrefix } from '../capture/rows-decoder.ts'

const everyMs = 60_000
const lateMs = 20_000

/**
 * Writes a message to the WAL of a source each minute, and waits for it to come back. It also moves
 * the slot of a database in which nothing else happens.
 */
export class Heartbeat {
  readonly #client: Client
  #sentAt = Number.NEGATIVE_INFINITY
  /** The content of the one that has not come back. */
  #awaited: string | null = null

  constructor(client: Client) {
    this.#client = client
  }

  /** True if the source does not send what was written to it, whatever the connection says. */
  get isLate(): boolean {
    return this.#awaited !== null && performance.now() - this.#sentAt > lateMs
  }

  /** Sends the next one if it is due, and the last one has come back. */
  async send(): Promise<void> {
    if (this.#awaited !== null || performance.now() - this.#sentAt < everyMs) return
    this.#sentAt = performance.now()
    this.#awaited = randomUUID()
    await this.#client.query('select pg_logical_emit_message(true, $1, $2)', [
      heartbeatPrefix,
      this.#awaited,
    ])
  }

  received(content: string): void {
    if (content === this.#awaited) this.#awaited = null
  }
}
