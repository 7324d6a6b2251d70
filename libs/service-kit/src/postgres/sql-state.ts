import { DatabaseError } from 'pg'

/** Returns the SQLSTATE of an error from PostgreSQL, or `undefined`. */
export function sqlStateOf(err: unknown): string | undefined {
  return err instanceof DatabaseError ? err.code : undefined
}
