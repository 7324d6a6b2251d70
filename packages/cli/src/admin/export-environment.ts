import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getEnvironment } from '@surehook/contracts/http/admin/admin'
import { listRoles, listUsers } from '@surehook/contracts/http/admin/users'
import type { Platform } from '../lib/platform-client.ts'
import { callOperation } from './call-operation.ts'
import {
  type ManagedEnvironment,
  type ManagementClient,
  openManagementClient,
} from './management-client.ts'

type Page = { items: readonly object[]; nextCursor: string | null }
type ReadPage = (cursor: string | undefined) => Promise<Page>

const pageSize = 200

/**
 * Writes the data of an environment to `dir`: `settings.json`, `tables.json` and `webhooks.json`,
 * and one JSON object per line to `roles.ndjson`, `users.ndjson`, `records/<table>.ndjson` and
 * `deliveries/<webhook id>.ndjson`. The files contain no secrets or password hashes, because no API
 * returns them.
 * @returns the number of lines of each `.ndjson` file, by its path below `dir`
 */
export async function exportEnvironment(
  platform: Platform,
  of: ManagedEnvironment,
  dir: string,
): Promise<Record<string, number>> {
  await mkdir(dir, { recursive: true })
  await using client = await openManagementClient(platform, of, 'surehook admin export')
  const counts: Record<string, number> = {}
  const lines = async (path: string, read: ReadPage) => {
    counts[path] = await writeLines(join(dir, path), read)
  }
  await writeJson(
    join(dir, 'settings.json'),
    await callOperation(platform, getEnvironment, { params: of }),
  )
  await lines('roles.ndjson', async (cursor) => {
    const { roles, nextCursor } = await callOperation(platform, listRoles, pageOf(of, cursor))
    return { items: roles, nextCursor }
  })
  await lines('users.ndjson', async (cursor) => {
    const { users, nextCursor } = await callOperation(platform, listUsers, pageOf(of, cursor))
    return { items: users, nextCursor }
  })
  const { tables } = await client.rest<{ tables: { name: string }[] }>('GET _tables')
  await writeJson(join(dir, 'tables.json'), tables)
  await mkdir(join(dir, 'records'), { recursive: true })
  for (const { name } of tables) {
    await lines(`records/${name}.ndjson`, pagesOf(client, `${name}?order=id`, 'records'))
  }
  await exportWebhooks(client, dir, lines)
  return counts
}

type Lines = (path: string, read: ReadPage) => Promise<void>

async function exportWebhooks(client: ManagementClient, dir: string, lines: Lines): Promise<void> {
  const webhooks: object[] = []
  const read = pagesOf(client, '_webhooks', 'webhooks')
  for await (const page of pages(read)) webhooks.push(...page)
  await writeJson(join(dir, 'webhooks.json'), webhooks)
  await mkdir(join(dir, 'deliveries'), { recursive: true })
  for (const { id } of webhooks as { id: string }[]) {
    await lines(
      `deliveries/${id}.ndjson`,
      pagesOf(client, `_webhooks/${id}/deliveries`, 'deliveries'),
    )
  }
}

const pageOf = (params: ManagedEnvironment, cursor: string | undefined) => ({
  params,
  query: { limit: pageSize, cursor },
})

function pagesOf(client: ManagementClient, path: string, name: string): ReadPage {
  return async (cursor) => {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) })
    const separator = path.includes('?') ? '&' : '?'
    const page = await client.rest<Record<string, unknown>>(
      `GET ${path}${separator}${query.toString()}`,
    )
    return { items: page[name] as object[], nextCursor: page['nextCursor'] as string | null }
  }
}

async function* pages(read: ReadPage): AsyncGenerator<readonly object[]> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page.items
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

async function writeLines(file: string, read: ReadPage): Promise<number> {
  await using handle = await open(file, 'w', 0o600)
  let count = 0
  for await (const page of pages(read)) {
    await handle.write(page.map((item) => `${JSON.stringify(item)}\n`).join(''))
    count += page.length
  }
  return count
}

const writeJson = (file: string, value: unknown) =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
