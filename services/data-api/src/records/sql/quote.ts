import { escapeIdentifier, escapeLiteral } from 'pg'

/** The longest identifier that PostgreSQL keeps whole, in bytes. */
export const maxIdentifierBytes = 63

/** The only way an identifier gets into SQL text; one that PostgreSQL would cut or refuse throws. */
export function quoteIdent(name: string): string {
  const bytes = Buffer.byteLength(name)
  if (bytes < 1 || bytes > maxIdentifierBytes || name.includes('\0')) {
    throw new RangeError(`not an identifier: ${JSON.stringify(name)}`)
  }
  return escapeIdentifier(name)
}

/** For DDL, which takes no parameters; everything else passes values as parameters. */
export function quoteLiteral(text: string): string {
  return escapeLiteral(text)
}
