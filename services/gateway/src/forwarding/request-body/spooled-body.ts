import type { IncomingMessage } from 'node:http'
import { tooLarge } from './body-limit.ts'
import type { SpoolShare } from './spool-memory.ts'

/** A larger body streams. */
export const maxSpooledBytes = 64 * 1024

/** A body larger than the spool limit. `begun` is the part that has arrived. */
export class LargeBody {
  readonly begun: Buffer

  constructor(begun: Buffer) {
    this.begun = begun
  }
}

export type SpoolLimits = { share: SpoolShare; limitBytes: number }

/** The client has left, so no answer is needed. */
export const gone = Symbol('gone')

/**
 * Reads a small body to its end before the upstream is contacted. Returns `null` without a body,
 * and `gone` if the client left in the middle. Stops reading if the body turns out to be large.
 *
 * @throws PAYLOAD_TOO_LARGE if more than `limitBytes` have arrived, and SERVICE_UNAVAILABLE if the
 * memory for such bodies is used up
 */
export async function spoolBody(
  req: IncomingMessage,
  limits: SpoolLimits,
): Promise<Buffer | LargeBody | null | typeof gone> {
  const length = Number(req.headers['content-length'] ?? 0)
  const chunked = req.headers['transfer-encoding'] !== undefined
  if (length === 0 && !chunked) return null
  if (length > maxSpooledBytes) return new LargeBody(Buffer.alloc(0))
  return readSmall(req, limits)
}

function readSmall(
  req: IncomingMessage,
  { share, limitBytes }: SpoolLimits,
): Promise<Buffer | LargeBody | typeof gone> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer()
    const stop = () => {
      req.off('data', take).off('end', finish).off('close', leave)
      req.pause()
    }
    const take = (chunk: Buffer) => {
      try {
        // A chunked body has no announced length that was checked earlier.
        if (body.length + chunk.length > limitBytes) throw tooLarge(limitBytes)
        share.add(chunk.length)
      } catch (err) {
        stop()
        reject(err)
        return
      }
      body.append(chunk)
      if (body.length <= maxSpooledBytes) return
      stop()
      resolve(new LargeBody(body.bytes))
    }
    const finish = () => resolve(body.bytes)
    const leave = () => {
      if (!req.complete) resolve(gone)
    }
    req.on('data', take).once('end', finish).once('close', leave)
    // Also emitted when the client leaves; `close` follows.
    req.once('error', leave)
  })
}

/**
 * Copies chunks: kept separately, a body that comes byte by byte would cost a hundred bytes of
 * overhead per byte.
 */
class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  append(chunk: Buffer): void {
    // Nearly every body arrives in one piece.
    if (this.#length === 0) this.#bytes = chunk
    else {
      const needed = this.#length + chunk.length
      if (needed > this.#bytes.length) this.#grow(Math.max(needed, 2 * this.#bytes.length))
      chunk.copy(this.#bytes, this.#length)
    }
    this.#length += chunk.length
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafeSlow(bytes)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
