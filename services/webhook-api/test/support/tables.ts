import type { TableState } from '@surehook/contracts/events'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import { tablesTopic } from '@surehook/contracts/topics'
import type { Tenant, World } from './under-test.ts'

export type PublishedTable = {
  name: string
  columns: Record<string, string> | null
  read?: readonly AccessEntry[]
  source?: TableState['source']
}

/** Publishes a table as data-api does. Resolves once it is acknowledged. `null` drops the table. */
export async function publishTable(
  { codec, producer }: Pick<World, 'codec' | 'producer'>,
  { projectId, environment }: Tenant,
  { name, columns, read = [], source = null }: PublishedTable,
): Promise<void> {
  const state: TableState | null = columns && {
    projectId,
    environment,
    name,
    columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
    updatedAt: new Date().toISOString(),
    access: JSON.stringify(read),
    // Long ago, so that it has the changes that a test logs.
    createdAt: '2026-01-01T00:00:00.000Z',
    source,
  }
  const key = `${projectId}/${environment}/${name}`
  await producer.send([{ topic: tablesTopic, key, value: state && codec.table.encode(state) }])
}
