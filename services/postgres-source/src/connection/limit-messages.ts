import type { Duplex } from 'node:stream'

export type MessageLimit = {
  /** Most bytes of a message, and of all messages that answer one statement. */
  bytes: number
  /** Called before the connection ends. */
  onExceeded: () => void
}

/** A byte with the type, and four with the length, which counts itself. */
const headerBytes = 5
/** A row of an answer takes about so much more memory than its bytes. */
const bytesPerMessage = 128
const [copyData, readyForQuery] = [0x64, 0x5a]

/** The database sent more than is read. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError'
}

/**
 * Ends the connection at a message that exceeds the limit, before it arrives. `pg` holds a message
 * in memory until it is complete, and the rows of an answer until the last one. PostgreSQL sends up
 * to 1 GB in a message, a hostile server any number of them.
 *
 * @param stream with messages of PostgreSQL's protocol, after TLS
 */
export function limitMessages(stream: Duplex, { bytes, onExceeded }: MessageLimit): void {
  const header = Buffer.alloc(headerBytes)
  let held = 0
  /** Bytes of the present message that are still to come. */
  let toCome = 0
  let answered = 0

  /** Rows of a replication stream answer no statement: none of them is kept. */
  function sizeOf(type: number | undefined, length: number): number {
    if (type === copyData) return length
    answered = type === readyForQuery ? 0 : answered + length + bytesPerMessage
    return Math.max(answered, length)
  }

  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !stream.destroyed; ) {
      if (toCome > 0) {
        const passed = Math.min(toCome, chunk.length - at)
        toCome -= passed
        at += passed
        continue
      }
      const copied = chunk.copy(header, held, at)
      held += copied
      at += copied
      if (held < headerBytes) return
      held = 0
      const length = header.readUInt32BE(1)
      toCome = Math.max(0, length - (headerBytes - 1))
      if (sizeOf(header[0], length) <= bytes) continue
      onExceeded()
      const message = `The database sent a row or an answer of more than ${bytes} bytes`
      stream.destroy(new MessageTooLongError(message))
    }
  })
}
