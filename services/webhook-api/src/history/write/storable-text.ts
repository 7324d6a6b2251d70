/** PostgreSQL keeps no NUL in text, and a receiver may answer with any bytes. */
export const text = (value: string): string =>
  // Most have none, and to look is cheaper than to replace.
  (value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value).toWellFormed()

export const textOrNull = (value: string | null): string | null =>
  value === null ? null : text(value)
