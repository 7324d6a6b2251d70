import { SurehookError } from '../errors.ts'
import type { Stored } from '../resources/stored-record.ts'

/** A longer list belongs on a server, in pages. */
export const maxRecords = 10_000

/**
 * The newest version of each record. What is older than what it has, or the same, changes nothing,
 * so pages and changes may come in any order and more than once.
 */
export class RecordSet<T extends object> {
  readonly #records = new Map<string, Stored<T>>()
  /** When each record was removed. */
  readonly #removed = new Map<string, string>()
  #isComplete = false

  get records(): Iterable<Stored<T>> {
    return this.#records.values()
  }

  /** All pages were read: nothing older can come than a few repeated changes. */
  complete(): void {
    this.#isComplete = true
  }

  /** Returns whether the record is new, or newer. */
  put(record: Stored<T>): boolean {
    const { id, updatedAt } = record
    if (updatedAt <= this.#versionOf(id)) return false
    this.#removed.delete(id)
    Object.freeze(record)
    this.#records.set(id, record)
    if (this.#records.size > maxRecords) throw tooMany()
    return true
  }

  /** Returns whether it had the record. */
  remove(id: string, at: string): boolean {
    if (at < this.#versionOf(id)) return false
    this.#removed.delete(id)
    this.#removed.set(id, at)
    if (this.#isComplete && this.#removed.size > maxRecords) this.#forgetOldest()
    return this.#records.delete(id)
  }

  /** Instants of one format: their texts compare as they do. */
  #versionOf(id: string): string {
    return this.#records.get(id)?.updatedAt ?? this.#removed.get(id) ?? ''
  }

  #forgetOldest(): void {
    for (const id of this.#removed.keys()) {
      this.#removed.delete(id)
      return
    }
  }
}

const tooMany = () =>
  new SurehookError(
    `The list has more than ${maxRecords.toLocaleString('en')} records: narrow it with where`,
    { code: 'TOO_MANY_RECORDS' },
  )
