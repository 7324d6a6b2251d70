import { boundedBy } from '@surehook/service-kit/bounded'
import type { ClientConfig } from 'pg'
import { LogicalReplicationService } from 'pg-logical-replication'
import { formatLsn, parseLsn } from '../slot/lsn.ts'
import { ofConnection, SlotConnectionError } from '../slot/slot-connection-error.ts'
import type { WalMessage, WalPlace, WalPlugin } from './wal-decoder.ts'

export type StreamOptions<Content> = {
  connection: ClientConfig
  applicationName: string
  slot: string
  plugin: WalPlugin<Content>
  /** Confirmed position of the slot. The stream never reports an earlier one. */
  confirmed: bigint
  /** Receives committed content. Until a promise resolves, the stream passes nothing else. */
  content: (content: Content, place: WalPlace) => void | Promise<void>
  /** All commits up to `lsn` have been passed to `content`. */
  reached: (lsn: bigint) => void
}

const startWithinMs = 10_000
const reportEveryMs = 5_000
const silentMs = 60_000

/** One connection to the slot, from START_REPLICATION to its end. */
export class ReplicationStream<Content> implements AsyncDisposable {
  readonly #options: StreamOptions<Content>
  readonly #service: LogicalReplicationService
  readonly #ended = Promise.withResolvers<never>()
  readonly #started = Promise.withResolvers<void>()
  #confirmed: bigint
  #inTransaction = false
  #commit = 0n
  #paused = false
  #over = false
  /** Messages that arrived while earlier content is being handled; `null`: none is. */
  #waiting: (() => void | Promise<void>)[] | null = null
  #heardAt = performance.now()
  #reporting: NodeJS.Timeout | undefined

  constructor(options: StreamOptions<Content>) {
    this.#options = options
    this.#confirmed = options.confirmed
    this.#service = new LogicalReplicationService(
      {
        ...options.connection,
        // The statement that starts the replication never ends.
        query_timeout: 0,
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
    const { slot, plugin } = this.#options
    const service = this.#service
    service.on('error', (err) => this.#lose(err))
    service.on('start', () => this.#started.resolve())
    service.on('data', (lsn, message: WalMessage<Content> | null) =>
      this.#pass(() => this.#data(lsn, message)),
    )
    service.on('heartbeat', (lsn, _time, reply) => this.#pass(() => this.#heartbeat(lsn, reply)))
    service.subscribe(plugin, slot).then(
      () => this.#lose('The server ended the replication'),
      (err) => this.#lose(err),
    )
    const message = 'The server does not start the replication'
    await ofConnection(boundedBy(startWithinMs, this.#started.promise, message))
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
    if (this.#waiting === null) this.#connection?.stream.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#reporting)
    const connection = this.#connection
    // Nothing is passed any more, but the server's answer to the end must be read.
    connection?.stream.resume()
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

  #data(lsn: string, message: WalMessage<Content> | null): void | Promise<void> {
    this.#heardAt = performance.now()
    if (message === null) return
    if (message.tag === 'content')
      return this.#options.content(message.content, { commit: this.#commit, lsn })
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
    const reads = !this.#paused && this.#waiting === null
    if (reads && performance.now() - this.#heardAt > silentMs) {
      return this.#lose('The server has gone silent')
    }
    this.#send(true)
  }

  #send(ping = false): void {
    // The library reports the byte after the given LSN. One byte too many would skip a commit that
    // begins exactly there.
    this.#service.acknowledge(formatLsn(this.#confirmed - 1n), ping).catch((err) => this.#lose(err))
  }

  /** Handles the messages one after another, also those that arrive while one is waited for. */
  #pass(handle: () => void | Promise<void>): void {
    if (this.#waiting !== null) {
      this.#waiting.push(handle)
      return
    }
    const handled = this.#guard(handle)
    if (handled === undefined) return
    this.#waiting = []
    this.#connection?.stream.pause()
    handled.then(
      () => this.#passWaiting(),
      (err) => this.#fail(err),
    )
  }

  #passWaiting(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const handle of waiting) this.#pass(handle)
    if (this.#waiting === null && !this.#paused) this.#connection?.stream.resume()
  }

  #guard(handle: () => void | Promise<void>): void | Promise<void> {
    // Messages after a failed one must not be confirmed, because that would skip the failed one.
    if (this.#over) return
    try {
      return handle()
    } catch (err) {
      // Not rethrown: an error from a socket's event handler would end the process.
      this.#fail(err)
    }
  }

  #lose(cause: unknown): void {
    this.#fail(new SlotConnectionError(cause))
  }

  #fail(err: unknown): void {
    this.#over = true
    this.#started.reject(err)
    this.#ended.reject(err)
  }
}
