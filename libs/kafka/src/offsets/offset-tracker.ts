/** Result of `take`: the offset is new, still open from before, or finished. */
export type MessageState = 'new' | 'open' | 'finished'

export type CommitPosition = {
  /** All offsets below it are finished. */
  offset: number
  /** The finished offsets above `offset`, encoded for the commit's metadata. */
  metadata: string
  /** False when not all finished offsets fitted into the metadata. */
  complete: boolean
}

/** Number of finished offsets above an open one that is acceptable in memory. */
const fewFinished = 20_000

/** Kafka's default `offset.metadata.max.bytes` is 4096. */
const maxMetadataBytes = 4000
const prefix = 'w1.'
/**
 * Ends the ranges. Base64 also ends at `=`, so that a version without notes reads the same ranges.
 */
const noteMark = '='

/**
 * Tracks which offsets of a partition are finished when they finish out of order. The commit is the
 * contiguous prefix. Finished offsets above it are stored in the commit's metadata, so that a
 * restart repeats only open ones.
 */
export class OffsetTracker {
  /**
   * Finished ranges above `#low`, ascending and not adjacent, including those of an earlier owner.
   */
  readonly #finished: [from: number, to: number][]
  #open = 0
  #low: number
  /** The highest offset that was taken or skipped. */
  #last: number
  /**
   * A skipped range that has not been read, although later offsets may have been. Its offsets count
   * as open.
   */
  #skipped: { next: number; end: number } | null = null

  /**
   * @param committed the committed offset, which is the next one to read
   * @param metadata of that commit, as `position` encoded it. Any other text counts as empty
   */
  constructor(committed: number, metadata: string | null | undefined) {
    this.#low = committed
    this.#last = committed - 1
    this.#finished = decodeRanges(committed, metadata).map(([from, to]) => [from, to])
  }

  /** Number of offsets that were taken or skipped and are not finished. */
  get open(): number {
    return this.#open
  }

  /** True when a few open offsets hold back far more finished ones. */
  get sparse(): boolean {
    const finished = this.#last + 1 - this.#low - this.#open
    return finished > fewFinished && finished > 4 * this.#open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#low
  }

  /**
   * The part of a skipped range that has not been read: from `next` up to, but not including,
   * `end`.
   */
  get skipped(): { readonly next: number; readonly end: number } | null {
    return this.#skipped
  }

  /** Starts reading at `offset`. Lower offsets are read later, in ascending order. */
  skipTo(offset: number): void {
    const from = this.#last + 1
    if (offset <= from) return
    this.#open += this.#countUnfinished(from, offset - 1)
    this.#skipped = { next: from, end: offset }
    this.#last = offset - 1
  }

  /** Notes that the skipped range has been read: offsets that did not occur are gaps of the log. */
  endSkipped(): void {
    if (this.#skipped === null) return
    const { next, end } = this.#skipped
    this.#skipped = null
    this.#finishGap(next, end - 1)
  }

  /**
   * Returns the open offsets to finish first, so that the finished ones form fewer ranges. These
   * are the smaller half of the gaps, or the lower half when few offsets hold back many.
   */
  gapsToClose(): Range[] {
    const gaps: [number, number][] = []
    let from = this.#low
    for (const [first, last] of this.#finished) {
      if (first > from) gaps.push([from, first - 1])
      from = last + 1
    }
    const half = Math.ceil(gaps.length / 2)
    if (this.sparse) return gaps.slice(0, half)
    const bySize = gaps.toSorted(([a, b], [c, d]) => b - a - (d - c))
    return bySize.slice(0, half).toSorted(([a], [b]) => a - b)
  }

  /** Registers an offset from the log. The offsets of one pass ascend. */
  take(offset: number): MessageState {
    if (offset <= this.#last) return this.#takeAgain(offset)
    // The log never fills gaps, so an offset inside a gap cannot appear later.
    if (offset > this.#last + 1) this.#add(this.#last + 1, offset - 1)
    this.#last = offset
    if (this.isFinished(offset)) return 'finished'
    this.#open++
    return 'new'
  }

  /** Marks a taken offset as finished. Repeated calls have no effect. */
  finish(offset: number): void {
    if (offset > this.#last || this.isFinished(offset)) return
    this.#open--
    this.#add(offset, offset)
  }

  /**
   * Returns the position to commit now.
   * @param note stored with the commit. `decodeNote` reads it
   */
  position(note: Uint8Array | null = null): CommitPosition {
    const end = note === null ? '' : noteMark + Buffer.from(note).toString('base64url')
    const room = maxMetadataBytes - end.length
    const { text, complete } = encodeRanges(this.#low, this.#finished, room)
    const metadata = text === '' && end !== '' ? prefix + end : text + end
    return { offset: this.#low, metadata, complete }
  }

  /** True if all offsets that a commit with this metadata declares finished are finished here. */
  covers(committed: number, metadata: string | null | undefined): boolean {
    if (committed > this.#low) return false
    return decodeRanges(committed, metadata).every(([from, to]) => {
      if (to < this.#low) return true
      const range = this.#finished[this.#firstEndingAt(to)]
      return range !== undefined && range[0] <= from
    })
  }

  #takeAgain(offset: number): MessageState {
    const skipped = this.#skipped
    if (skipped === null || offset < skipped.next || offset >= skipped.end) {
      return this.isFinished(offset) ? 'finished' : 'open'
    }
    this.#finishGap(skipped.next, offset - 1)
    skipped.next = offset + 1
    if (skipped.next === skipped.end) this.#skipped = null
    return this.isFinished(offset) ? 'finished' : 'new'
  }

  /** Marks a part of the skipped range that is missing in the log as finished. */
  #finishGap(from: number, to: number): void {
    if (from > to) return
    this.#open -= this.#countUnfinished(from, to)
    this.#add(from, to)
  }

  #countUnfinished(first: number, to: number): number {
    const from = Math.max(first, this.#low)
    let count = Math.max(0, to - from + 1)
    for (let index = this.#firstEndingAt(from); index < this.#finished.length; index++) {
      const range = this.#finished[index] as Range
      if (range[0] > to) break
      count -= Math.min(range[1], to) - Math.max(range[0], from) + 1
    }
    return count
  }

  /** True if the offset is finished, here or by an earlier owner. */
  isFinished(offset: number): boolean {
    if (offset < this.#low) return true
    const range = this.#finished[this.#firstEndingAt(offset)]
    return range !== undefined && range[0] <= offset
  }

  /** Index of the first range that ends at or above `offset`. */
  #firstEndingAt(offset: number): number {
    let from = 0
    let to = this.#finished.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#finished[middle] as Range)[1] < offset) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Merges the range with those that it touches, or into the prefix below `low`. */
  #add(from: number, to: number): void {
    const index = this.#firstEndingAt(from - 1)
    let end = index
    let [first, last] = [from, to]
    for (let next = this.#finished[end]; next && next[0] <= to + 1; next = this.#finished[++end]) {
      first = Math.min(first, next[0])
      last = Math.max(last, next[1])
    }
    if (first > this.#low) this.#finished.splice(index, end - index, [first, last])
    else {
      this.#finished.splice(index, end - index)
      // A gap of the log, which an earlier owner's metadata declares finished, may lie below it.
      this.#low = Math.max(this.#low, last + 1)
    }
  }
}

/** Inclusive on both ends. */
export type Range = readonly [from: number, to: number]

function encodeRanges(
  base: number,
  ranges: Iterable<Range>,
  room: number,
): { text: string; complete: boolean } {
  const bytes: number[] = []
  let at = base
  for (const [from, to] of ranges) {
    const size = bytes.length
    pushVarint(bytes, from - at)
    pushVarint(bytes, to - from)
    at = to + 1
    if (prefix.length + Math.ceil((bytes.length * 4) / 3) > room) {
      bytes.length = size
      return { text: prefix + Buffer.from(bytes).toString('base64url'), complete: false }
    }
  }
  if (bytes.length === 0) return { text: '', complete: true }
  return { text: prefix + Buffer.from(bytes).toString('base64url'), complete: true }
}

/** Reads the note that `position` stored after the ranges, or null if there is none. */
export function decodeNote(metadata: string | null | undefined): Uint8Array | null {
  const at = metadata?.startsWith(prefix) ? metadata.indexOf(noteMark) : -1
  return at < 0 ? null : Buffer.from(metadata?.slice(at + 1) ?? '', 'base64url')
}

/** Reads the finished ranges above a commit, ascending, from the `metadata` of `position`. */
export function decodeRanges(base: number, metadata: string | null | undefined): Range[] {
  if (!metadata?.startsWith(prefix)) return []
  const [text = ''] = metadata.slice(prefix.length).split(noteMark)
  const bytes = Buffer.from(text, 'base64url')
  const ranges: Range[] = []
  let at = base
  let index = 0
  const read = (): number => {
    let value = 0
    let factor = 1
    for (; index < bytes.length; factor *= 128) {
      const byte = bytes[index++] as number
      value += (byte & 127) * factor
      if (byte < 128) break
    }
    return value
  }
  while (index < bytes.length) {
    const from = at + read()
    const to = from + read()
    ranges.push([from, to])
    at = to + 1
  }
  return ranges
}

/** LEB128, unsigned. Gaps are far below 2^53. */
function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}
