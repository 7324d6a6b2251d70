import { type Client, escapeIdentifier } from 'pg'
import { sqlStateOf } from './sql-state.ts'

/**
 * Returns the URL of another database on the same server: for the suffix `history`, `surehook`
 * becomes `surehook_history`.
 */
export function siblingUrl(databaseUrl: string, suffix: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `${url.pathname}_${suffix}`
  return url.href
}

/** Returns the name of the database in a URL. */
export const databaseOf = (url: string): string =>
  decodeURIComponent(new URL(url).pathname.slice(1))

/** @returns false if the role may not create a database, which then must be created by hand */
export async function ensureDatabase(admin: Client, name: string): Promise<boolean> {
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
  if (rowCount === 1) return true
  try {
    await admin.query(`create database ${escapeIdentifier(name)}`)
    // The administrator grants the right to each role that needs it.
    await admin.query(`revoke connect on database ${escapeIdentifier(name)} from public`)
    return true
  } catch (err) {
    const state = sqlStateOf(err)
    // duplicate_database, or unique_violation: another process was faster.
    if (state === '42P04' || state === '23505') return true
    if (state === insufficientPrivilege) return false
    throw err
  }
}

const insufficientPrivilege = '42501'
