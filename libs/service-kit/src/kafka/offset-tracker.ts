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
  /** The highest offset that was taken. */
  #last: number

  /**
   * @param committed the committed offset: the next one to read
   * @param metadata of that commit, as `position` made it; anything else counts as empty
   */
  constructor(committed: number, metadata: string | null | undefined) {
    this.#low = committed
    this.#last = committed - 1
    this.#finished = decodeRanges(committed, metadata).map(([from, to]) => [from, to])
  }

  /** Number of offsets taken and not yet finished. */
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

  /** Registers an offset read from the log; offsets of one pass come in ascending order. */
  take(offset: number): Taken {
    if (offset <= this.#last) return this.#isFinished(offset) ? 'finished' : 'open'
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

  /** What to commit now. */
  position(): CommitPosition {
    const { text, complete } = encodeRanges(this.#low, this.#finished)
    return { offset: this.#low, metadata: text, complete }
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

function encodeRanges(base: number, ranges: Iterable<Range>): { text: string; complete: boolean } {
  const bytes: number[] = []
  let at = base
  for (const [from, to] of ranges) {
    const size = bytes.length
    pushVarint(bytes, from - at)
    pushVarint(bytes, to - from)
    at = to + 1
    if (prefix.length + Math.ceil((bytes.length * 4) / 3) > maxMetadataBytes) {
      bytes.length = size
      return { text: prefix + Buffer.from(bytes).toString('base64url'), complete: false }
    }
  }
  if (bytes.length === 0) return { text: '', complete: true }
  return { text: prefix + Buffer.from(bytes).toString('base64url'), complete: true }
}

/** What was finished above a commit, in ascending order: `metadata` as `position` made it. */
export function decodeRanges(base: number, metadata: string | null | undefined): Range[] {
  if (!metadata?.startsWith(prefix)) return []
  const bytes = Buffer.from(metadata.slice(prefix.length), 'base64url')
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
