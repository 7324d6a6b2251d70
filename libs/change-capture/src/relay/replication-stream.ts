import { boundedBy } from '@surehook/service-kit/bounded'
import { LogicalReplicationService } from 'pg-logical-replication'
import { formatLsn, parseLsn } from '../slot/lsn.ts'
import { CapturePlugin, type PluginMessage } from './capture-plugin.ts'

export type StreamHandlers = {
  /** A committed message with our prefix, and where its commit stands. */
  message: (content: string, commit: bigint) => void
  /** A message of the service whose states are watched; its commit is reached next. */
  state: () => void
  /** Everything committed up to `lsn` has been handed to `message`. */
  reached: (lsn: bigint) => void
}

export type StreamOptions = StreamHandlers & {
  databaseUrl: string
  applicationName: string
  slot: string
  prefix: string
  /** Of messages that are only reported. */
  statesPrefix?: string | undefined
  publication: string
  /** Where the slot stands: what is reported to the server never goes back behind it. */
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
      // Its own acknowledgements would confirm what was only received.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    )
    this.#ended.promise.catch(() => undefined)
    this.#started.promise.catch(() => undefined)
  }

  /** Rejects when the slot is in use or lost, or the connection fails. */
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

  /** Rejects when the stream ends, for whatever reason. */
  get ended(): Promise<never> {
    return this.#ended.promise
  }

  /** Everything below `lsn` is safe elsewhere: the server need not keep it. */
  confirm(lsn: bigint): void {
    if (lsn <= this.#confirmed) return
    this.#confirmed = lsn
    this.#send()
  }

  /** Stops reading the socket, so that the server holds back what we cannot take. */
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
      // Closing is a courtesy; a server that does not take part is left.
      connection?.stream.destroy()
    }
  }

  get #connection() {
    // The library shows its connection to nobody, and its own flow control would let heartbeats
    // overtake messages: they must stay in order to be confirmed safely.
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

  /** Also while paused: the server ends a connection that says nothing for a minute. */
  #report(): void {
    if (!this.#paused && performance.now() - this.#heardAt > silentMs) {
      return this.#fail(new Error('The server has gone silent'))
    }
    this.#send(true)
  }

  #send(ping = false): void {
    // The library reports the byte after the LSN it is given. One too many would skip a commit that
    // begins just there.
    this.#service.acknowledge(formatLsn(this.#confirmed - 1n), ping).catch((err) => this.#fail(err))
  }

  #guard(handle: () => void): void {
    // What follows a message that failed must not be confirmed: that would skip it.
    if (this.#over) return
    try {
      handle()
    } catch (err) {
      // Thrown on, it would end the process: we are inside a socket's event.
      this.#fail(err)
    }
  }

  #fail(err: unknown): void {
    this.#over = true
    this.#started.reject(err)
    this.#ended.reject(err)
  }
}
