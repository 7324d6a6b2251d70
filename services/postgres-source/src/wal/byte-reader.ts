/** Reads the fields of a replication message, one after another. Numbers are big-endian. */
export class ByteReader {
  readonly #buffer: Buffer
  #at: number

  constructor(buffer: Buffer, at = 0) {
    this.#buffer = buffer
    this.#at = at
  }

  get ended(): boolean {
    return this.#at >= this.#buffer.length
  }

  byte(): number {
    const value = this.#buffer.readUInt8(this.#at)
    this.#at += 1
    return value
  }

  int16(): number {
    const value = this.#buffer.readInt16BE(this.#at)
    this.#at += 2
    return value
  }

  /** OIDs use all 32 bits. */
  uint32(): number {
    const value = this.#buffer.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  int32(): number {
    const value = this.#buffer.readInt32BE(this.#at)
    this.#at += 4
    return value
  }

  uint64(): bigint {
    const value = this.#buffer.readBigUInt64BE(this.#at)
    this.#at += 8
    return value
  }

  int64(): bigint {
    const value = this.#buffer.readBigInt64BE(this.#at)
    this.#at += 8
    return value
  }

  /** A text of `length` bytes. */
  text(length: number): string {
    const start = this.#at
    this.#at += length
    if (this.#at > this.#buffer.length) throw new RangeError('The message ends too early')
    return this.#buffer.toString('utf8', start, this.#at)
  }

  /** A text that ends with a zero byte. */
  cString(): string {
    const end = this.#buffer.indexOf(0, this.#at)
    if (end < 0) throw new RangeError('The text has no end')
    const text = this.#buffer.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }
}
