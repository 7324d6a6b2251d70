import type { Socket } from 'node:net'

/** The most bytes of one exchange, interim answers included: far more than the 4 KiB that count. */
export const maxBytes = 262_144
const longestStart = 'HTTP/1.1 100'.length
const interimStart = /^HTTP\/1\.\d 1(\d\d)/
/**
 * Some servers end lines with a bare LF, or separate words by other white space, which a recipient
 * may accept (RFC 9112 §2.2, §4).
 */
const statusLine = /^HTTP\/1\.\d[ \t]+([2-5]\d\d)[ \t\r\n]/
/** With some white space to spare. */
const longestStatus = 20
const endsOfHead = ['\n\r\n', '\n\n'] as const
const nothing = Buffer.alloc(0)

/** The error codes with which Node and undici report that the peer closed the connection. */
const hangUps: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', undefined])

export class AnswerRefusedError extends Error {
  readonly code = 'ANSWER_REFUSED'
}

/**
 * A reused connection was closed before the first byte of an answer. The receiver may have closed
 * it before the request arrived (RFC 9112 §9.3.1, §9.6).
 */
export class StaleConnectionError extends Error {
  readonly code = 'STALE_CONNECTION'
}

/** Called with the status of an answer once its whole status line has arrived. */
export type StatusListener = (status: number) => void

let nextListener: StatusListener | null = null

/**
 * The next exchange that begins reports its status to `listener`. undici calls `onRequestStart` and
 * then writes the request in the same turn.
 */
export function reportStatusTo(listener: StatusListener): void {
  nextListener = listener
}

/**
 * Removes informational answers (1xx) from the received bytes, closes the socket if it receives too
 * much, and detects stale connections. A client must accept 1xx answers unasked (RFC 9110 §15.2),
 * but undici fails on `100 Continue`. undici also has no limit for other 1xx answers, for the
 * status line and for chunk extensions. It refuses a whole answer for an odd header, although the
 * receiver has the delivery: the filter reports the status before undici reads it. Every write begins an exchange, because undici writes a
 * whole request before it reads. The filter hooks the socket's methods: a stream around the socket
 * would copy every byte and hide the socket from undici.
 */
export function filterAnswers(socket: Socket): void {
  const filter = new AnswerFilter()
  const push = socket.push.bind(socket)
  const { write, destroy } = socket
  socket.write = function begin(this: Socket, ...args: unknown[]) {
    filter.begin(nextListener)
    nextListener = null
    return Reflect.apply(write, this, args) as boolean
  }
  socket.destroy = function end(this: Socket, err?: NodeJS.ErrnoException) {
    const isStale = filter.waitsOnReused && hangUps.has(err?.code)
    const cause = isStale ? new StaleConnectionError('a stale connection', { cause: err }) : err
    return Reflect.apply(destroy, this, [cause])
  }
  // The socket passes every chunk it reads to its readable side through this method.
  socket.push = (chunk: Buffer | null, encoding) => {
    try {
      const left = filter.take(chunk)
      if (chunk === null && left !== null) push(left)
      // Pushing an empty chunk would do nothing, but its result would say that the buffer is full.
      return left?.length === 0 ? true : push(chunk === null ? null : left, encoding)
    } catch (err) {
      socket.destroy(err as Error)
      return false
    }
  }
}

/**
 * Passes everything except interim answers. Holds back a few bytes until it can tell them apart.
 */
export class AnswerFilter {
  #place: 'answer' | 'start' | 'interim' = 'answer'
  #held: Buffer = nothing
  #taken = 0
  #exchanges = 0
  #listener: StatusListener | null = null
  /** The first bytes of the answer, until its whole status line has arrived. */
  #line: Buffer = nothing

  /** True if a later request on this connection was sent and no byte of its answer has arrived. */
  get waitsOnReused(): boolean {
    return this.#exchanges > 1 && this.#place === 'start' && this.#taken === 0
  }

  /** A request was sent, so the next bytes start an answer. */
  begin(listener: StatusListener | null = null): void {
    if (this.#place !== 'answer') return
    this.#listener = listener
    this.#line = nothing
    this.#place = 'start'
    this.#taken = 0
    this.#exchanges += 1
  }

  /**
   * @param chunk `null` at the end
   * @returns the bytes to pass on; at the end those held back, or `null`
   */
  take(chunk: Buffer | null): Buffer | null {
    if (chunk === null) return this.#heldAtEnd()
    this.#taken += chunk.length
    if (this.#taken > maxBytes) throw new AnswerRefusedError(`more than ${maxBytes} bytes`)
    if (this.#place === 'answer') {
      this.#reportStatus(chunk)
      return chunk
    }
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = nothing
    for (;;) {
      if (this.#place === 'start') {
        bytes = withoutEmptyLines(bytes)
        if (bytes.length < longestStart) return this.#hold(bytes)
        if (!isInterim(bytes)) {
          this.#place = 'answer'
          this.#reportStatus(bytes)
          return bytes
        }
        this.#place = 'interim'
      }
      const end = endOfHeadIn(bytes)
      if (end === -1) return this.#hold(bytes.subarray(-longestEndOfHead + 1))
      bytes = bytes.subarray(end)
      this.#place = 'start'
    }
  }

  #reportStatus(chunk: Buffer): void {
    if (this.#listener === null) return
    const missing = longestStatus - this.#line.length
    if (missing > 0) this.#line = Buffer.concat([this.#line, chunk.subarray(0, missing)])
    if (!chunk.includes('\n')) return
    const [, status] = statusLine.exec(this.#line.toString('latin1')) ?? []
    if (status !== undefined) this.#listener(Number(status))
    this.#listener = null
    this.#line = nothing
  }

  #heldAtEnd(): Buffer | null {
    const held = this.#held
    this.#held = nothing
    return held.length === 0 ? null : held
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = Buffer.from(bytes)
    return nothing
  }
}

/** Some servers send a line too many behind the answer before (RFC 9112 §2.2). */
function withoutEmptyLines(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x0d && byte !== 0x0a)
  return first === -1 ? nothing : bytes.subarray(first)
}

const longestEndOfHead = 3

/** Returns the index after the end of a head, or -1. */
function endOfHeadIn(bytes: Buffer): number {
  const ends = endsOfHead.flatMap((end) => {
    const at = bytes.indexOf(end)
    return at === -1 ? [] : [at + end.length]
  })
  return ends.length === 0 ? -1 : Math.min(...ends)
}

function isInterim(bytes: Buffer): boolean {
  const match = interimStart.exec(bytes.toString('latin1', 0, longestStart))
  if (match?.[1] === '01') {
    throw new AnswerRefusedError('an answer 101 to a request that asked for no other protocol')
  }
  return match !== null
}
