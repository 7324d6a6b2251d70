import type { Logger } from 'pino'
import { partitionKey, type TopicPartition } from '../topics/partition-key.ts'
import type { LogEnds } from './log-ends.ts'

/** Logs that lost records because they were truncated or their topic was recreated. */
export class TruncatedLogs {
  readonly #ends: Pick<LogEnds, 'readLed'>
  readonly #log: Logger
  readonly #found = new Set<string>()

  constructor(ends: Pick<LogEnds, 'readLed'>, log: Logger) {
    this.#ends = ends
    this.#log = log
  }

  /** @returns true if the log ends before `next`, the first unread offset */
  async find(at: TopicPartition, next: number): Promise<boolean> {
    const bounds = await this.#ends.readLed([at.partition])
    const end = bounds.find(({ topic }) => topic === at.topic)?.end
    // The caller asks again. Without an answer it would take the log for a whole one.
    if (end === undefined) throw new Error(`${at.topic}/${at.partition} has no leader`)
    if (end >= next) return false
    this.#log.error({ ...at, next, end }, 'consumer.log_truncated')
    this.#found.add(partitionKey(at))
    return true
  }

  has(at: TopicPartition): boolean {
    return this.#found.has(partitionKey(at))
  }

  /**
   * Removes the mark of a truncated partition.
   * @returns true if it was marked
   */
  forget(at: TopicPartition): boolean {
    return this.#found.delete(partitionKey(at))
  }
}
