import { escapeIdentifier, escapeLiteral } from 'pg'

/** PostgreSQL truncates longer identifiers, in bytes. */
export const maxIdentifierBytes = 63

/**
 * Quotes an identifier for SQL text; every identifier goes through here. Throws for one that
 * PostgreSQL would truncate or refuse.
 */
export function quoteIdent(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes < 1 || bytes > maxIdentifierBytes || name.includes('\0')) {
    throw new RangeError(`not an identifier: ${JSON.stringify(name)}`)
  }
  return escapeIdentifier(name)
}

/** For DDL, which takes no parameters. All other SQL passes values as parameters. */
export function quoteLiteral(text: string): string {
  return escapeLiteral(text)
}
