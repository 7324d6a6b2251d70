import {
  ConflictError,
  NotFoundError,
  PermissionError,
  type RequestOptions,
  type Surehook,
} from '@surehook/client'
import type { Wishes } from './file/wishes.ts'
import type { State, StoredTable } from './plan/steps.ts'

/** Reads the sections that the file manages, and the tables that its filters are about. */
export async function readState(
  surehook: Surehook,
  wishes: Wishes,
  { prune, request }: { prune: boolean; request: RequestOptions },
): Promise<State> {
  const { roles, tables, subscriptions, notify, trustedIssuers } = wishes
  const isSet = notify !== undefined || trustedIssuers !== undefined
  const settings = isSet ? await readSettings(surehook, request) : undefined
  const managed = tables && (await surehook.tables.list(request))
  const helpful = async () => {
    if (!subscriptions?.some(({ filter }) => filter !== null)) return undefined
    return ifAllowed(surehook.tables.list(request))
  }
  return {
    roles: roles && (await all(surehook.admin.roles.iterate({}, request))),
    tables:
      managed === undefined
        ? await helpful()
        : await Promise.all(
            managed.map(async (table) =>
              prune && !Object.hasOwn(tables ?? {}, table.name)
                ? withRecords(surehook, table, request)
                : table,
            ),
          ),
    subscriptions: subscriptions && (await readSubscriptions(surehook, request)),
    notify: notify && settings?.notify,
    trustedIssuers: trustedIssuers && settings?.trustedIssuers,
  }
}

/**
 * Reads every section that the token may read. `undefined` stands for the others.
 * @param isOperator whether the client has the administration token
 */
export async function readAll(
  surehook: Surehook,
  { isOperator, request }: { isOperator: boolean; request: RequestOptions },
): Promise<State> {
  const settings = isOperator ? await readSettings(surehook, request) : undefined
  return {
    roles: await ifAllowed(all(surehook.admin.roles.iterate({}, request))),
    tables: await ifAllowed(surehook.tables.list(request)),
    subscriptions: await ifAllowed(readSubscriptions(surehook, request)),
    notify: settings?.notify,
    trustedIssuers: settings?.trustedIssuers,
  }
}

/** `undefined` if the token may not look, or if the table is gone. */
export async function hasRecords(
  surehook: Surehook,
  table: string,
  request: RequestOptions,
): Promise<boolean | undefined> {
  try {
    const { records } = await surehook.table(table).list({ limit: 1 }, request)
    return records.length > 0
  } catch (err) {
    if (err instanceof PermissionError) return undefined
    if (err instanceof NotFoundError && err.code === 'TABLE_NOT_FOUND') return false
    // A table of a source: its rows stay where they are.
    if (err instanceof ConflictError) return false
    throw err
  }
}

async function withRecords(
  surehook: Surehook,
  table: StoredTable,
  request: RequestOptions,
): Promise<StoredTable> {
  const isFilled = await hasRecords(surehook, table.name, request)
  return isFilled === undefined ? table : { ...table, hasRecords: isFilled }
}

const readSubscriptions = (surehook: Surehook, request: RequestOptions) =>
  all(surehook.webhooks.iterate({ limit: 1_000, fingerprints: true }, request))

/** Only the administrator may read them. */
const readSettings = (surehook: Surehook, request: RequestOptions) =>
  surehook.admin.environments.get(request)

async function ifAllowed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (err) {
    if (err instanceof PermissionError) return undefined
    throw err
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
