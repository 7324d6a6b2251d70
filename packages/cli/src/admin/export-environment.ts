import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Surehook } from '@surehook/client'
import { adminClientOf, type Platform } from '../lib/platform-client.ts'
import { type EnvironmentId, openTemporaryClient } from './temporary-client.ts'

const page = { limit: 200 }

/**
 * Writes the data of an environment to `dir`: `settings.json`, `tables.json` and `webhooks.json`,
 * and one JSON object per line to `roles.ndjson`, `users.ndjson`, `records/<table>.ndjson` and
 * `deliveries/<webhook id>.ndjson`. The rows of sources stay where they are. The files contain no secrets or password hashes, because no API
 * returns them.
 * @returns the number of lines of each `.ndjson` file, by its path below `dir`
 */
export async function exportEnvironment(
  platform: Platform,
  environment: EnvironmentId,
  dir: string,
): Promise<Record<string, number>> {
  await mkdir(dir, { recursive: true })
  const { admin } = adminClientOf(platform, environment)
  await using client = await openTemporaryClient(platform, environment, 'surehook admin export')
  const { surehook } = client
  const counts: Record<string, number> = {}
  const writeItems: WriteItems = async (path, items) => {
    counts[path] = await writeLines(join(dir, path), items)
  }
  await writeJson(join(dir, 'settings.json'), await admin.environments.get())
  await writeItems('roles.ndjson', admin.roles.iterate(page))
  await writeItems('users.ndjson', admin.users.iterate(page))
  const tables = await surehook.tables.list()
  await writeJson(join(dir, 'tables.json'), tables)
  await mkdir(join(dir, 'records'), { recursive: true })
  for (const { name, source } of tables) {
    if (source) continue
    const records = surehook.table(name).iterate({ ...page, order: 'id' })
    await writeItems(`records/${name}.ndjson`, records)
  }
  await exportWebhooks(surehook, dir, writeItems)
  return counts
}

type WriteItems = (path: string, items: AsyncIterable<object>) => Promise<void>

async function exportWebhooks(
  { webhooks }: Surehook,
  dir: string,
  writeItems: WriteItems,
): Promise<void> {
  const all: { id: string }[] = []
  for await (const webhook of webhooks.iterate(page)) all.push(webhook)
  await writeJson(join(dir, 'webhooks.json'), all)
  await mkdir(join(dir, 'deliveries'), { recursive: true })
  for (const { id } of all) {
    await writeItems(`deliveries/${id}.ndjson`, webhooks.iterateDeliveries(id, page))
  }
}

async function writeLines(file: string, items: AsyncIterable<object>): Promise<number> {
  await using handle = await open(file, 'w', 0o600)
  let count = 0
  for await (const item of items) {
    await handle.write(`${JSON.stringify(item)}\n`)
    count += 1
  }
  return count
}

const writeJson = (file: string, value: unknown) =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
