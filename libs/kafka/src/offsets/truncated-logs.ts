import type { Logger } from 'pino'
import type { Admin } from '../client/surface.ts'
import { type Place, partitionKey } from '../topics/partition-key.ts'

/** Logs that lost records because they were truncated or their topic was recreated. */
export class TruncatedLogs {
  readonly #admin: Pick<Admin, 'fetchTopicOffsets'>
  readonly #log: Logger
  readonly #found = new Set<string>()

  constructor(admin: Pick<Admin, 'fetchTopicOffsets'>, log: Logger) {
    this.#admin = admin
    this.#log = log
  }

  /** @returns true if the log ends before `next`, the first unread offset */
  async find(place: Place, next: number): Promise<boolean> {
    const logs = await this.#admin.fetchTopicOffsets(place.topic)
    const end = Number(logs.find(({ partition }) => partition === place.partition)?.high)
    if (!(end < next)) return false
    this.#log.error({ ...place, next, end }, 'consumer.log_truncated')
    this.#found.add(partitionKey(place))
    return true
  }

  has(place: Place): boolean {
    return this.#found.has(partitionKey(place))
  }

  /**
   * Removes the mark of a truncated partition.
   * @returns true if it was marked
   */
  forget(place: Place): boolean {
    return this.#found.delete(partitionKey(place))
  }
}
