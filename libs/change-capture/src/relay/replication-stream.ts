import { boundedBy } from '@surehook/service-kit/bounded'
import { LogicalReplicationService } from 'pg-logical-replication'
import { formatLsn, parseLsn } from '../slot/lsn.ts'
import { CapturePlugin, type PluginMessage } from './capture-plugin.ts'

export type StreamHandlers = {
  /** Receives a committed message with our prefix, and the LSN of its commit. */
  message: (content: string, commit: bigint) => void
  /** A message of the service in `statesOf` was read. The next `reached` is its commit. */
  state: () => void
  /** All commits up to `lsn` have been passed to `message`. */
  reached: (lsn: bigint) => void
}

export type StreamOptions = StreamHandlers & {
  databaseUrl: string
  applicationName: string
  slot: string
  prefix: string
  /** Prefix of messages that are reported without their content. */
  statesPrefix?: string | undefined
  publication: string
  /** Confirmed position of the slot. The stream never reports an earlier one. */
  confirmed: bigint
}

const startWithinMs = 10_000
const reportEveryMs = 5_000
const silentMs = 60_000

/** One connection to the slot, from START_REPLICATION to its end. */
export class ReplicationStream implements AsyncDisposable {
  readonly #options: StreamOptions
  readonly #service: LogicalReplicationService
  readonly #ended = Promise.withResolvers<never>()
  readonly #started = Promise.withResolvers<void>()
  #confirmed: bigint
  #inTransaction = false
  #commit = 0n
  #paused = false
  #over = false
  #heardAt = performance.now()
  #reporting: NodeJS.Timeout | undefined

  constructor(options: StreamOptions) {
    this.#options = options
    this.#confirmed = options.confirmed
    this.#service = new LogicalReplicationService(
      {
        connectionString: options.databaseUrl,
        application_name: options.applicationName,
        connectionTimeoutMillis: 5_000,
        keepAlive: true,
      },
      // The library's own acknowledgements would confirm messages that Kafka has not acknowledged.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    )
    this.#ended.promise.catch(() => undefined)
    this.#started.promise.catch(() => undefined)
  }

  /** Rejects when the slot is in use or lost, or when the connection fails. */
  async start(): Promise<void> {
    const { slot, prefix, statesPrefix, publication } = this.#options
    const service = this.#service
    service.on('error', (err) => this.#fail(err))
    service.on('start', () => this.#started.resolve())
    service.on('data', (_lsn, message: PluginMessage | null) =>
      this.#guard(() => this.#data(message)),
    )
    service.on('heartbeat', (lsn, _time, reply) => this.#guard(() => this.#heartbeat(lsn, reply)))
    service.subscribe(new CapturePlugin({ publication, prefix, statesPrefix }), slot).then(
      () => this.#fail(new Error('The server ended the replication')),
      (err) => this.#fail(err),
    )
    await boundedBy(
      startWithinMs,
      this.#started.promise,
      'The server does not start the replication',
    )
    this.#reporting = setInterval(() => this.#report(), reportEveryMs)
  }

  /** Rejects when the stream ends for any reason. */
  get ended(): Promise<never> {
    return this.#ended.promise
  }

  /** Confirms that the server need not keep the WAL below `lsn`. */
  confirm(lsn: bigint): void {
    if (lsn <= this.#confirmed) return
    this.#confirmed = lsn
    this.#send()
  }

  /** Stops reading the socket, so that TCP flow control holds the server back. */
  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#connection?.stream.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#heardAt = performance.now()
    this.#connection?.stream.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#reporting)
    this.resume()
    const connection = this.#connection
    this.#fail(new DOMException('The stream was closed', 'AbortError'))
    try {
      await boundedBy(2_000, this.#service.destroy(), 'The replication connection did not close')
    } catch {
      // The server may be unable to close the stream. The socket is then destroyed.
      connection?.stream.destroy()
    }
  }

  get #connection() {
    // The library does not expose its connection. Its own flow control would let heartbeats
    // overtake messages, and positions could then be confirmed too early.
    return this.#service['_connection']
  }

  #data(message: PluginMessage | null): void {
    this.#heardAt = performance.now()
    if (message === null) return
    if (message.tag === 'message') return this.#options.message(message.content, this.#commit)
    if (message.tag === 'state') return this.#options.state()
    this.#inTransaction = message.tag === 'begin'
    if (message.tag === 'begin') this.#commit = message.commit
    if (message.tag === 'commit') this.#options.reached(message.end)
  }

  #heartbeat(lsn: string, reply: boolean): void {
    this.#heardAt = performance.now()
    if (!this.#inTransaction) this.#options.reached(parseLsn(lsn))
    if (reply) this.#send()
  }

  /** Runs while paused, too: the server closes a connection that is silent for a minute. */
  #report(): void {
    if (!this.#paused && performance.now() - this.#heardAt > silentMs) {
      return this.#fail(new Error('The server has gone silent'))
    }
    this.#send(true)
  }

  #send(ping = false): void {
    // The library reports the byte after the given LSN. One byte too many would skip a commit that
    // begins exactly there.
    this.#service.acknowledge(formatLsn(this.#confirmed - 1n), ping).catch((err) => this.#fail(err))
  }

  #guard(handle: () => void): void {
    // Messages after a failed one must not be confirmed, because that would skip the failed one.
    if (this.#over) return
    try {
      handle()
    } catch (err) {
      // Not rethrown: an error from a socket's event handler would end the process.
      this.#fail(err)
    }
  }

  #fail(err: unknown): void {
    this.#over = true
    this.#started.reject(err)
    this.#ended.reject(err)
  }
}
