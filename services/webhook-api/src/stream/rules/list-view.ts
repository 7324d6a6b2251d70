import { createHmac } from 'node:crypto'
import { appliesTo } from '@surehook/access/users/row-grants'
import { type RuledUser, valuesOf, variablesIn } from '@surehook/access/users/rule-values'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { KnownTables, ReadableTable } from '../../tables/known-tables.ts'
import type { Tenant } from '../../tenants/tenant.ts'

export type ListView = {
  /** The same for the same caller, with the same rules, values and columns. */
  text: string
  /** False once one of the tables has changed. */
  isCurrent: () => boolean
}

export type ListViewDeps = {
  tables: Pick<KnownTables, 'current' | 'readableOf'>
  /** Without it, a user could test guesses of the rules. */
  key: Buffer
}

/** A user, and who knows the values that rules name. */
export type ListReader = { user: RuledUser; values: Pick<UserValuesOf, 'of'> }

/**
 * Finds what decides which records of the tables the caller may read.
 * @param reader `null` for a management token
 */
export async function listView(
  { tables, key }: ListViewDeps,
  tenant: Tenant,
  { reader, names }: { reader: ListReader | null; names: readonly string[] },
): Promise<ListView> {
  await tables.current()
  const stateOf = (table: string) => tables.readableOf({ ...tenant, table })
  const states = new Map(names.map((name) => [name, stateOf(name)]))
  const described: unknown[] = [tenant.projectId, tenant.environment]
  for (const [name, state] of states) {
    const table = state && [state.createdAt, state.entries, [...state.fields]]
    described.push([name, table, reader && (await readerOf(reader, state))])
  }
  const hmac = createHmac('sha256', key).update(`list-view ${JSON.stringify(described)}`)
  return {
    text: hmac.digest('base64url').slice(0, 16),
    isCurrent: () => [...states].every(([name, state]) => stateOf(name) === state),
  }
}

async function readerOf({ user, values }: ListReader, state: ReadableTable | undefined) {
  const entries = (state?.entries ?? []).filter((entry) => appliesTo(entry, user.roles))
  const valueOf = await valuesOf(values, user, entries)
  const names = new Set(entries.flatMap((entry) => [...variablesIn(entry)]))
  return [user.id, user.roles.toSorted(), [...names].map((name) => [name, valueOf(name)])]
}
