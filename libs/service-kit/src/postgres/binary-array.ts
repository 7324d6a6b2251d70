/**
 * JavaScript type of the values of each PostgreSQL type. Times and dates are epoch milliseconds.
 */
type Values = {
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

export type ArrayType = keyof Values

/**
 * Encodes a column for `unnest($1::uuid[])` in PostgreSQL's binary form, which node-postgres sends
 * unchanged. The text form would have to be quoted and parsed value by value.
 */
export function binaryArray<Type extends ArrayType, Row>(
  type: Type,
  rows: readonly Row[],
  valueOf: (row: Row) => Values[Type] | null,
): Buffer {
  const writer = new ArrayWriter(rows.length)
  const write = writers[type]
  for (const row of rows) {
    const value = valueOf(row)
    if (value === null) writer.null()
    else write(writer, value)
  }
  return writer.end(oids[type])
}

const oids: Record<ArrayType, number> = {
  uuid: 2950,
  text: 25,
  integer: 23,
  bigint: 20,
  bytea: 17,
  timestamptz: 1184,
  date: 1082,
}

const writers: { [Type in ArrayType]: (to: ArrayWriter, value: Values[Type]) => void } = {
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
const headerBytes = 20
const twoTo32 = 2 ** 32

/** Writes each element as its length (-1 for null) and its bytes. Integers are big-endian. */
class ArrayWriter {
  #to: Buffer
  #at = headerBytes
  #count = 0
  #hasNull = false

  constructor(expected: number) {
    this.#to = Buffer.allocUnsafe(headerBytes + expected * 20)
  }

  null(): void {
    this.#hasNull = true
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

  end(oid: number): Buffer {
    const header = [1, this.#hasNull ? 1 : 0, oid, this.#count, 1]
    for (const [place, value] of header.entries()) this.#to.writeInt32BE(value, place * 4)
    return this.#to.subarray(0, this.#at)
  }

  /** @returns the offset of the element's bytes */
  #begin(bytes: number, length = bytes): number {
    const needed = this.#at + 4 + bytes
    if (needed > this.#to.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#to.length * 2))
      this.#to.copy(larger, 0, 0, this.#at)
      this.#to = larger
    }
    const at = this.#at + 4
    this.#to.writeInt32BE(length, this.#at)
    this.#at = at + bytes
    this.#count++
    return at
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
