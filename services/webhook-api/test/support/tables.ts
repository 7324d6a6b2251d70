import type { TableState } from '@surehook/contracts/events'
import { tablesTopic } from '@surehook/contracts/topics'
import type { Tenant, World } from './under-test.ts'

/** Publishes a table as data-api does. Resolves once it is acknowledged. `null` drops the table. */
export async function publishTable(
  { codec, producer }: Pick<World, 'codec' | 'producer'>,
  { projectId, environment }: Tenant,
  { name, columns }: { name: string; columns: Record<string, string> | null },
): Promise<void> {
  const state: TableState | null = columns && {
    projectId,
    environment,
    name,
    columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
    updatedAt: new Date().toISOString(),
  }
  const key = `${projectId}/${environment}/${name}`
  await producer.send([{ topic: tablesTopic, key, value: state && codec.table.encode(state) }])
}
