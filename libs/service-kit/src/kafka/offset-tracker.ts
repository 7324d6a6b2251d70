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
  #offsets: number[] = []
  #finished: boolean[] = []
  #head = 0
  #open = 0
  #low: number
  #restored: readonly Range[]

  /**
   * @param committed the committed offset: the next one to read
   * @param metadata of that commit, as `position` made it; anything else counts as empty
   */
  constructor(committed: number, metadata: string | null | undefined) {
    this.#low = committed
    this.#restored = decodeRanges(committed, metadata)
  }

  /** Number of offsets taken and not yet finished. */
  get open(): number {
    return this.#open
  }

  /** True when a few open offsets make it remember far more that are finished. */
  get sparse(): boolean {
    const finished = this.#offsets.length - this.#head - this.#open
    return finished > fewFinished && finished > 4 * this.#open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#low
  }

  /** Registers an offset read from the log; offsets of one pass come in ascending order. */
  take(offset: number): Taken {
    if (offset < this.#low) return 'finished'
    const last = this.#offsets.at(-1)
    if (last !== undefined && this.#head < this.#offsets.length && offset <= last) {
      const index = this.#indexOf(offset)
      // An offset inside a gap cannot appear later: the log never fills gaps.
      return index === -1 || this.#finished[index] ? 'finished' : 'open'
    }
    const wasFinished = this.#restored.some(([from, to]) => offset >= from && offset <= to)
    this.#offsets.push(offset)
    this.#finished.push(wasFinished)
    if (!wasFinished) this.#open++
    this.#advance()
    return wasFinished ? 'finished' : 'new'
  }

  /** Marks a taken offset finished; repeating it changes nothing. */
  finish(offset: number): void {
    const index = this.#indexOf(offset)
    if (index === -1 || this.#finished[index]) return
    this.#finished[index] = true
    this.#open--
    this.#advance()
  }

  /** What to commit now. */
  position(): CommitPosition {
    const { text, complete } = encodeRanges(this.#low, this.#finishedRanges())
    return { offset: this.#low, metadata: text, complete }
  }

  #indexOf(offset: number): number {
    let from = this.#head
    let to = this.#offsets.length - 1
    while (from <= to) {
      const middle = (from + to) >>> 1
      const found = this.#offsets[middle] as number
      if (found === offset) return middle
      if (found < offset) from = middle + 1
      else to = middle - 1
    }
    return -1
  }

  #advance(): void {
    while (this.#head < this.#offsets.length && this.#finished[this.#head]) {
      this.#low = (this.#offsets[this.#head] as number) + 1
      this.#head++
    }
    const next = this.#offsets[this.#head]
    if (next !== undefined) this.#low = next
    if (this.#head > 1024 && this.#head * 2 > this.#offsets.length) {
      this.#offsets = this.#offsets.slice(this.#head)
      this.#finished = this.#finished.slice(this.#head)
      this.#head = 0
    }
  }

  *#finishedRanges(): Iterable<Range> {
    let from = -1
    let to = -1
    for (let index = this.#head; index < this.#offsets.length; index++) {
      const offset = this.#offsets[index] as number
      if (this.#finished[index]) {
        if (from === -1) from = offset
        to = offset
      } else if (from !== -1) {
        yield [from, to]
        from = -1
      }
    }
    if (from !== -1) yield [from, to]
    // What an earlier owner finished beyond what this one has read must not be forgotten.
    const last = this.#offsets.at(-1) ?? this.#low - 1
    for (const [start, end] of this.#restored) {
      if (end > last) yield [Math.max(start, last + 1), end]
    }
  }
}

/** Inclusive on both ends. */
type Range = readonly [from: number, to: number]

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

function decodeRanges(base: number, metadata: string | null | undefined): Range[] {
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
