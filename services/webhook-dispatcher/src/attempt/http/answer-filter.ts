import type { Socket } from 'node:net'

/** Of an exchange: much more than is read of an answer, interim ones included. */
const maxBytes = 262_144
const longestStart = 'HTTP/1.1 100'.length
const interimStart = /^HTTP\/1\.\d 1(\d\d)/
const endOfHead = '\r\n\r\n'
const nothing = Buffer.alloc(0)

/** What Node and undici say when the other side has hung up. */
const hangUps: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', undefined])

export class AnswerRefusedError extends Error {
  readonly code = 'ANSWER_REFUSED'
}

/**
 * A connection that had served other exchanges was closed before the first byte of an answer: its
 * receiver may have closed it before the request came (RFC 9112 §9.3.1, §9.6).
 */
export class StaleConnectionError extends Error {
  readonly code = 'STALE_CONNECTION'
}

/**
 * Takes informational answers (1xx) out of what the socket receives, ends it when it receives too
 * much, and tells when it was stale. A client must accept them unasked (RFC 9110 §15.2); undici gives
 * up at `100 Continue`. It has no bound for others of them, for the status line, nor for what chunks
 * say besides their bytes. Every write begins an exchange: undici writes a request whole before it
 * reads. The filter hooks the socket's methods, because a stream around it would copy every byte and
 * hide the socket from undici.
 */
export function filterAnswers(socket: Socket): void {
  const filter = new AnswerFilter()
  const push = socket.push.bind(socket)
  const { write, destroy } = socket
  socket.write = function begin(this: Socket, ...args: unknown[]) {
    filter.begin()
    return Reflect.apply(write, this, args) as boolean
  }
  socket.destroy = function end(this: Socket, err?: NodeJS.ErrnoException) {
    const isStale = filter.waitsOnReused && hangUps.has(err?.code)
    const cause = isStale ? new StaleConnectionError('a stale connection', { cause: err }) : err
    return Reflect.apply(destroy, this, [cause])
  }
  // What a socket reads reaches its readable side through this method.
  socket.push = (chunk: Buffer | null, encoding) => {
    try {
      const left = filter.take(chunk)
      if (chunk === null && left !== null) push(left)
      // To push nothing would end nothing, but says that there is no room for more.
      return left?.length === 0 ? true : push(chunk === null ? null : left, encoding)
    } catch (err) {
      socket.destroy(err as Error)
      return false
    }
  }
}

/** Lets through what is not an interim answer; holds back a few bytes until it knows. */
export class AnswerFilter {
  #place: 'answer' | 'start' | 'interim' = 'answer'
  #held: Buffer = nothing
  #taken = 0
  #exchanges = 0

  /** A request was sent, not the first, and no byte of its answer has come. */
  get waitsOnReused(): boolean {
    return this.#exchanges > 1 && this.#place === 'start' && this.#taken === 0
  }

  /** What comes next is the start of an answer. */
  begin(): void {
    if (this.#place !== 'answer') return
    this.#place = 'start'
    this.#taken = 0
    this.#exchanges += 1
  }

  /** @param chunk null at the end; then what was held back comes out, or null */
  take(chunk: Buffer | null): Buffer | null {
    if (chunk === null) return this.#heldAtEnd()
    this.#taken += chunk.length
    if (this.#taken > maxBytes) throw new AnswerRefusedError(`more than ${maxBytes} bytes`)
    if (this.#place === 'answer') return chunk
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = nothing
    for (;;) {
      if (this.#place === 'start') {
        if (bytes.length < longestStart) return this.#hold(bytes)
        if (!isInterim(bytes)) {
          this.#place = 'answer'
          return bytes
        }
        this.#place = 'interim'
      }
      const end = bytes.indexOf(endOfHead)
      if (end === -1) return this.#hold(bytes.subarray(1 - endOfHead.length))
      bytes = bytes.subarray(end + endOfHead.length)
      this.#place = 'start'
    }
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

function isInterim(bytes: Buffer): boolean {
  const match = interimStart.exec(bytes.toString('latin1', 0, longestStart))
  if (match?.[1] === '01') {
    throw new AnswerRefusedError('an answer 101 to a request that asked for no other protocol')
  }
  return match !== null
}
