import { Client } from 'pg'
import type { World } from './under-test.ts'

/** Runs one statement as the service's own role. */
export async function sql<Row>(
  { database }: Pick<World, 'database'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const owner = new Client({ connectionString: database.databaseUrl })
  await owner.connect()
  try {
    return (await owner.query(text, values)).rows as Row[]
  } finally {
    await owner.end()
  }
}
