import { grownLength, withRoom } from '@surehook/service-kit/id-table'

type Segment = { readonly bytes: Buffer; used: number; live: number }

const segmentBytes = 1_048_576
const noSegment: Segment = { bytes: Buffer.alloc(0), used: 0, live: 0 }
/** The row, then the length of the text. */
const headBytes = 8
const rowAt = 0
const lengthAt = 4
/** A position is `segment × spread + offset`. */
const spread = 2 ** 32

/**
 * Texts by row number, as UTF-8 outside the heap. A new text is appended. A segment that is more
 * than half outdated is copied without its outdated texts.
 */
export class PackedTexts {
  /** Position + 1; 0 means no text. */
  #at = new Float64Array(0)
  readonly #segments: (Segment | null)[] = []
  #current = -1

  /** Bytes outside the heap. */
  get bytes(): number {
    const held = this.#segments.reduce((sum, segment) => sum + (segment?.bytes.length ?? 0), 0)
    return held + this.#at.byteLength
  }

  get(row: number): string | undefined {
    const found = this.#find(row)
    if (found === null) return undefined
    const { bytes, offset } = found
    const begin = offset + headBytes
    return bytes.toString('utf8', begin, begin + bytes.readUInt32LE(offset + lengthAt))
  }

  set(row: number, text: string): void {
    this.delete(row)
    if (row >= this.#at.length) this.#at = withRoom(this.#at, grownLength(row))
    const length = Buffer.byteLength(text)
    const { bytes, offset } = this.#append(row, headBytes + length)
    bytes.writeUInt32LE(row, offset + rowAt)
    bytes.writeUInt32LE(length, offset + lengthAt)
    bytes.write(text, offset + headBytes)
  }

  delete(row: number): void {
    const found = this.#find(row)
    if (found === null) return
    const { segment, index, offset } = found
    segment.live -= headBytes + segment.bytes.readUInt32LE(offset + lengthAt)
    this.#at[row] = 0
    if (index !== this.#current) this.#compactIfOutdated(index)
  }

  #find(row: number) {
    const position = (this.#at[row] ?? 0) - 1
    if (position < 0) return null
    const index = Math.floor(position / spread)
    const segment = this.#segments[index] ?? null
    return segment && { segment, index, bytes: segment.bytes, offset: position - index * spread }
  }

  /** Reserves bytes for the row, and returns where. */
  #append(row: number, length: number): { bytes: Buffer; offset: number } {
    let segment = this.#segments[this.#current]
    while (!segment || segment.used + length > segment.bytes.length) {
      const left = this.#current
      this.#open(Math.max(segmentBytes, length))
      this.#compactIfOutdated(left)
      segment = this.#segments[this.#current]
    }
    const offset = segment.used
    segment.used += length
    segment.live += length
    this.#at[row] = this.#current * spread + offset + 1
    return { bytes: segment.bytes, offset }
  }

  #open(size: number): void {
    const free = this.#segments.indexOf(null)
    this.#current = free >= 0 ? free : this.#segments.length
    this.#segments[this.#current] = { bytes: Buffer.allocUnsafeSlow(size), used: 0, live: 0 }
  }

  #compactIfOutdated(index: number): void {
    const { bytes, used, live } = this.#segments[index] ?? noSegment
    if (2 * live >= used) return
    for (let from = 0; from < used; ) {
      const row = bytes.readUInt32LE(from + rowAt)
      const to = from + headBytes + bytes.readUInt32LE(from + lengthAt)
      if (this.#at[row] === index * spread + from + 1) {
        const copy = this.#append(row, to - from)
        bytes.copy(copy.bytes, copy.offset, from, to)
      }
      from = to
    }
    this.#segments[index] = null
  }
}
