import type { WalOrigin } from '@surehook/contracts/wal-position'
import { Client, type ClientConfig, type QueryResultRow } from 'pg'
import { parseLsn } from './lsn.ts'
import { ofConnection, SlotConnectionError } from './slot-connection-error.ts'

export type SlotState = {
  /** True if a process reads the slot. */
  active: boolean
  confirmed: bigint
  /** Bytes of WAL after the confirmed position. */
  lagBytes: number
}

/**
 * The slot is gone, or the server has removed WAL that it needed. Changes may be missing on Kafka.
 */
export class SlotLostError extends SlotConnectionError {
  override readonly name = 'SlotLostError'
}

type SlotRow = {
  active: boolean
  confirmed: string | null
  lag: string | null
  status: string | null
}

/** Watches one replication slot over its own connection. */
export class SlotMonitor implements AsyncDisposable {
  readonly #client: Client
  readonly #slot: string
  #failure: Error | null = null

  static async open(
    connection: ClientConfig,
    { service, slot }: { service: string; slot: string },
  ): Promise<SlotMonitor> {
    const client = new Client({
      ...connection,
      application_name: `surehook-relay-monitor-${service}`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    })
    const monitor = new SlotMonitor(client, slot)
    await ofConnection(client.connect())
    return monitor
  }

  private constructor(client: Client, slot: string) {
    this.#client = client
    this.#slot = slot
    // Without a listener a lost connection would end the process. The next query reports the
    // failure.
    client.on('error', (err) => {
      this.#failure = new SlotConnectionError(err)
    })
  }

  async read(): Promise<SlotState> {
    if (this.#failure) throw this.#failure
    const { rows } = await this.#query<SlotRow>(
      `select active, confirmed_flush_lsn::text as confirmed, wal_status as status,
              pg_wal_lsn_diff(pg_current_wal_flush_lsn(), confirmed_flush_lsn)::text as lag
         from pg_replication_slots
        where slot_name = $1`,
      [this.#slot],
    )
    const [row] = rows
    if (row === undefined) throw new SlotLostError(`The replication slot ${this.#slot} is gone`)
    if (row.status === 'lost' || row.confirmed === null) {
      throw new SlotLostError(`The server has given up the replication slot ${this.#slot}`)
    }
    const lagBytes = Math.max(0, Number(row.lag ?? 0))
    return { active: row.active, confirmed: parseLsn(row.confirmed), lagBytes }
  }

  /** Confirmed position of another slot of this database, or `null` if it does not exist. */
  async confirmedOf(slot: string): Promise<bigint | null> {
    const { rows } = await this.#query<{ confirmed: string | null }>(
      `select confirmed_flush_lsn::text as confirmed
         from pg_replication_slots
        where slot_name = $1 and database = current_database()`,
      [slot],
    )
    const confirmed = rows[0]?.confirmed ?? null
    return confirmed === null ? null : parseLsn(confirmed)
  }

  /** Identifies the WAL that the slot reads. It stays the same while the server runs. */
  async origin(): Promise<WalOrigin> {
    const { rows } = await this.#query<WalOrigin>(
      // The name of a WAL file begins with the timeline.
      `select system_identifier::text as "systemId",
              left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
         from pg_control_system()`,
    )
    const [origin] = rows
    if (origin === undefined) throw new Error('PostgreSQL does not say which cluster it is')
    return origin
  }

  #query<Row extends QueryResultRow>(text: string, values: string[] = []) {
    return ofConnection(this.#client.query<Row>(text, values))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Closing a lost connection fails, and nothing is left to close.
    await this.#client.end().catch(() => undefined)
  }
}
