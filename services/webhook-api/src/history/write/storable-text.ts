/** PostgreSQL keeps no NUL in text, and a receiver may answer with any bytes. */
export const text = (value: string): string => value.replaceAll('\0', '\uFFFD').toWellFormed()

export const textOrNull = (value: string | null): string | null =>
  value === null ? null : text(value)
