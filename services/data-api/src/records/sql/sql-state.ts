import { DatabaseError } from 'pg'

/** The SQLSTATE of an error that PostgreSQL answered with, else `undefined`. */
export function sqlStateOf(err: unknown): string | undefined {
  return err instanceof DatabaseError ? err.code : undefined
}
