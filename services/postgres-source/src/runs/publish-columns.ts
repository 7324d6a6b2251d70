import { sourceColumnsTopic } from '@surehook/contracts/topics'
import { reasonOf } from '@surehook/service-kit/errors'
import type { FollowedTable } from '../rows/followed-table.ts'
import { type SourceRow, tenantOf } from '../source-row.ts'
import type { Followed } from './followed-store.ts'
import type { PreparedSource } from './prepare-source.ts'
import type { RunDeps } from './run-deps.ts'

/** Publishes the columns of followed tables when they differ from what it published last. */
export class ColumnPublisher {
  readonly #row: SourceRow
  readonly #deps: Pick<RunDeps, 'producer' | 'codec' | 'log'>
  /** By table, the JSON of its identity and columns. */
  readonly #published = new Map<string, string>()

  constructor(row: SourceRow, deps: Pick<RunDeps, 'producer' | 'codec' | 'log'>) {
    this.#row = row
    this.#deps = deps
  }

  async publish(table: FollowedTable, { createdAt }: Pick<Followed, 'createdAt'>): Promise<void> {
    const columns = [...table.fields].map(([name, type]) => ({ name, type }))
    const text = JSON.stringify([createdAt, columns])
    if (this.#published.get(table.table) === text) return
    const { projectId, environment } = tenantOf(this.#row)
    const value = this.#deps.codec.sourceColumns.encode({
      ...{ projectId, environment, table: table.table, tableCreatedAt: createdAt, columns },
      updatedAt: new Date().toISOString(),
    })
    const key = `${projectId}/${environment}/${table.table}`
    await this.#deps.producer.send([{ topic: sourceColumnsTopic, key, value }])
    this.#published.set(table.table, text)
  }

  /**
   * Publishes the columns as the catalogue has them now: the WAL names those of a new table with
   * its first row, and a change of them with the next one. Does not wait for Kafka.
   */
  publishCatalogue({ tables, following }: Pick<PreparedSource, 'tables' | 'following'>): void {
    for (const table of tables) {
      const followed = following.get(table.relation.oid)
      if (followed === undefined) continue
      this.publish(table, followed).catch((err) =>
        this.#deps.log.warn({ reason: reasonOf(err) }, 'source.columns.not_sent'),
      )
    }
  }
}
