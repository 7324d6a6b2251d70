/** PostgreSQL cannot store NUL in text, but a receiver may answer with any bytes. */
export const text = (value: string): string =>
  // Most texts have none, and searching is cheaper than replacing.
  (value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value).toWellFormed()

export const textOrNull = (value: string | null): string | null =>
  value === null ? null : text(value)
