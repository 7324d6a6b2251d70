/**
 * JavaScript type of the values of each PostgreSQL type. Times and dates are epoch milliseconds.
 */
export type BinaryValues = {
  uuid: string
  text: string
  integer: number
  /** Limited to safe integers. */
  bigint: number
  bytea: Buffer
  timestamptz: number
  /** A time on that day in UTC. */
  date: number
}

export type BinaryType = keyof BinaryValues

/** A column of a table, and its value in a row. */
export type Column<Row, Type extends BinaryType = BinaryType> = {
  [Each in Type]: {
    readonly name: string
    readonly type: Each
    readonly valueOf: (row: Row) => BinaryValues[Each] | null
  }
}[Type]

export const writeValue: {
  [Type in BinaryType]: (to: BinaryWriter, value: BinaryValues[Type]) => void
} = {
  uuid: (to, value) => to.uuid(value),
  text: (to, value) => to.text(value),
  integer: (to, value) => to.integer(value),
  bigint: (to, value) => to.bigint(value),
  bytea: (to, value) => to.bytes(value),
  timestamptz: (to, value) => to.bigint((value - year2000) * 1000),
  date: (to, value) => to.integer(Math.floor((value - year2000) / dayMs)),
}

const year2000 = Date.UTC(2000, 0, 1)
const dayMs = 86_400_000
const twoTo32 = 2 ** 32

/**
 * Writes each value as its length (-1 for null) and its bytes, as arrays and `COPY` contain them.
 * Integers are big-endian.
 */
export class BinaryWriter {
  #to: Buffer
  #at: number

  /** @param header the bytes at the beginning, which the caller fills in */
  constructor(header: number, expectedBytes: number) {
    this.#to = Buffer.allocUnsafe(header + expectedBytes)
    this.#at = header
  }

  null(): void {
    this.#begin(0, -1)
  }

  integer(value: number): void {
    const at = this.#begin(4)
    this.#to.writeInt32BE(value, at)
  }

  bigint(value: number): void {
    const at = this.#begin(8)
    const high = Math.floor(value / twoTo32)
    this.#to.writeInt32BE(high, at)
    this.#to.writeUInt32BE(value - high * twoTo32, at + 4)
  }

  uuid(value: string): void {
    let at = this.#begin(16)
    const end = at + 16
    for (let from = 0; from < value.length; ) {
      if (value.charCodeAt(from) === dash) {
        from++
        continue
      }
      const byte = hexAt(value, from) * 16 + hexAt(value, from + 1)
      if (Number.isNaN(byte) || at === end) throw notUuid(value)
      this.#to[at++] = byte
      from += 2
    }
    if (at < end) throw notUuid(value)
  }

  text(value: string): void {
    const at = this.#begin(Buffer.byteLength(value))
    this.#to.write(value, at)
  }

  bytes(value: Buffer): void {
    const at = this.#begin(value.length)
    value.copy(this.#to, at)
  }

  /** Writes a bare number, without a length. */
  int16(value: number): void {
    this.#reserve(2)
    this.#at = this.#to.writeInt16BE(value, this.#at)
  }

  end(): Buffer {
    return this.#to.subarray(0, this.#at)
  }

  /** @returns the offset of the value's bytes */
  #begin(bytes: number, length = bytes): number {
    this.#reserve(4 + bytes)
    const at = this.#to.writeInt32BE(length, this.#at)
    this.#at = at + bytes
    return at
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#to.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#to.length * 2))
    this.#to.copy(larger, 0, 0, this.#at)
    this.#to = larger
  }
}

const dash = 45
const hexDigits = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [
    digit.charCodeAt(0),
    Number.parseInt(digit, 16),
  ]),
)
const hexValues = Array.from({ length: 128 }, (_, code) => hexDigits.get(code) ?? Number.NaN)
const hexAt = (text: string, at: number): number => hexValues[text.charCodeAt(at)] ?? Number.NaN

const notUuid = (value: string) =>
  Object.assign(new Error(`"${value}" is not a UUID`), { code: invalidText })

/** PostgreSQL's error code invalid_text_representation. */
const invalidText = '22P02'
