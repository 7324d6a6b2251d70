import type { Socket } from 'node:net'

/** Of an exchange: much more than is read of an answer, interim ones included. */
const maxBytes = 262_144
const longestStart = 'HTTP/1.1 100'.length
const interimStart = /^HTTP\/1\.\d 1(\d\d)/
const endOfHead = '\r\n\r\n'
const nothing = Buffer.alloc(0)

export class AnswerRefusedError extends Error {
  readonly code = 'ANSWER_REFUSED'
}

/**
 * Takes informational answers (1xx) out of what the socket receives, and ends it when it receives too
 * much. A client must accept them unasked (RFC 9110 §15.2); undici gives up at `100 Continue`. It has
 * no bound for others of them, for the status line, nor for what chunks say besides their bytes.
 * Every write begins an exchange: undici writes a request whole before it reads.
 */
export function filterAnswers(socket: Socket): void {
  const filter = new AnswerFilter()
  const push = socket.push.bind(socket)
  const write = socket.write
  socket.write = function begin(this: Socket, ...args: unknown[]) {
    filter.begin()
    return Reflect.apply(write, this, args) as boolean
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

  /** What comes next is the start of an answer. */
  begin(): void {
    if (this.#place !== 'answer') return
    this.#place = 'start'
    this.#taken = 0
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
