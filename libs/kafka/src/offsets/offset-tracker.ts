/** What `take` found: seen for the first time, still open from before, or finished. */
export type Taken = 'new' | 'open' | 'finished'

export type CommitPosition = {
  /** Everything below is finished. */
  offset: number
  /** The finished offsets above `offset`, encoded for the commit's metadata. */
  metadata: string
  /** False when not every finished offset fitted into the metadata. */
  complete: boolean
}

/** So many finished offsets may lie above an open one without weighing on memory. */
const fewFinished = 20_000

/** Kafka's default `offset.metadata.max.bytes` is 4096. */
const maxMetadataBytes = 4000
const prefix = 'w1.'
/** Ends the ranges. Base64 ends there too, so that a version that knows of no note reads the same ranges. */
const noteMark = '='

/**
 * Which offsets of one partition are finished, when they finish out of order. The commit is the
 * contiguous prefix; what is finished above it travels in the commit's metadata, so that a restart
 * repeats only what was really open.
 */
export class OffsetTracker {
  /** What is finished above `#low`, in ascending order, without neighbours; what an earlier owner finished too. */
  readonly #finished: [from: number, to: number][]
  #open = 0
  #low: number
  /** The highest offset that was taken or skipped. */
  #last: number
  /** Not read yet, though what is behind it may be: it counts as open. */
  #skipped: { next: number; end: number } | null = null

  /**
   * @param committed the committed offset: the next one to read
   * @param metadata of that commit, as `position` made it; anything else counts as empty
   */
  constructor(committed: number, metadata: string | null | undefined) {
    this.#low = committed
    this.#last = committed - 1
    this.#finished = decodeRanges(committed, metadata).map(([from, to]) => [from, to])
  }

  /** Number of offsets taken or skipped, and not yet finished. */
  get open(): number {
    return this.#open
  }

  /** True when a few open offsets make it remember far more that are finished. */
  get sparse(): boolean {
    const finished = this.#last + 1 - this.#low - this.#open
    return finished > fewFinished && finished > 4 * this.#open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#low
  }

  /** What was skipped and not read since: from `next`, before `end`. */
  get skipped(): { readonly next: number; readonly end: number } | null {
    return this.#skipped
  }

  /** Reading begins at `offset`; what is below is read later, in ascending order. */
  skipTo(offset: number): void {
    const from = this.#last + 1
    if (offset <= from) return
    this.#open += this.#countUnfinished(from, offset - 1)
    this.#skipped = { next: from, end: offset }
    this.#last = offset - 1
  }

  /** All that was skipped has been read: what did not come is a gap of the log. */
  endSkipped(): void {
    if (this.#skipped === null) return
    const { next, end } = this.#skipped
    this.#skipped = null
    this.#finishGap(next, end - 1)
  }

  /**
   * The open offsets that have to be finished so that the finished ones become fewer ranges: of the gaps
   * between them the smaller half, or the lower half when few offsets keep many from being committed.
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

  /** Registers an offset read from the log; offsets of one pass come in ascending order. */
  take(offset: number): Taken {
    if (offset <= this.#last) return this.#takeAgain(offset)
    // An offset inside a gap cannot appear later: the log never fills gaps.
    if (offset > this.#last + 1) this.#add(this.#last + 1, offset - 1)
    this.#last = offset
    if (this.#isFinished(offset)) return 'finished'
    this.#open++
    return 'new'
  }

  /** Marks a taken offset finished; repeating it changes nothing. */
  finish(offset: number): void {
    if (offset > this.#last || this.#isFinished(offset)) return
    this.#open--
    this.#add(offset, offset)
  }

  /**
   * What to commit now.
   * @param note travels with it; `decodeNote` finds it again
   */
  position(note: Uint8Array | null = null): CommitPosition {
    const end = note === null ? '' : noteMark + Buffer.from(note).toString('base64url')
    const room = maxMetadataBytes - end.length
    const { text, complete } = encodeRanges(this.#low, this.#finished, room)
    const metadata = text === '' && end !== '' ? prefix + end : text + end
    return { offset: this.#low, metadata, complete }
  }

  /** Whether everything is finished here that a commit with this metadata calls finished. */
  covers(committed: number, metadata: string | null | undefined): boolean {
    if (committed > this.#low) return false
    return decodeRanges(committed, metadata).every(([from, to]) => {
      if (to < this.#low) return true
      const range = this.#finished[this.#firstEndingAt(to)]
      return range !== undefined && range[0] <= from
    })
  }

  #takeAgain(offset: number): Taken {
    const skipped = this.#skipped
    if (skipped === null || offset < skipped.next || offset >= skipped.end) {
      return this.#isFinished(offset) ? 'finished' : 'open'
    }
    this.#finishGap(skipped.next, offset - 1)
    skipped.next = offset + 1
    if (skipped.next === skipped.end) this.#skipped = null
    return this.#isFinished(offset) ? 'finished' : 'new'
  }

  /** What was skipped there turns out not to be in the log. */
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

  #isFinished(offset: number): boolean {
    if (offset < this.#low) return true
    const range = this.#finished[this.#firstEndingAt(offset)]
    return range !== undefined && range[0] <= offset
  }

  /** The first range that ends at `offset` or above it. */
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

  /** Together with those that it touches it becomes one range, or part of what is below `low`. */
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
      // A gap of the log may lie below it: what was finished before it was read.
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

/** The note that `position` has put behind the ranges; null when there is none. */
export function decodeNote(metadata: string | null | undefined): Uint8Array | null {
  const at = metadata?.startsWith(prefix) ? metadata.indexOf(noteMark) : -1
  return at < 0 ? null : Buffer.from(metadata?.slice(at + 1) ?? '', 'base64url')
}

/** What was finished above a commit, in ascending order: `metadata` as `position` made it. */
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

/** LEB128, unsigned; gaps are far below 2^53. */
function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}
