/** Every role that the user has or could get, by name. */
export const choicesOf = (defined: readonly string[], held: readonly string[]): string[] =>
  [...new Set([...defined, ...held])].toSorted((a, b) => a.localeCompare(b))

export const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((role) => b.includes(role))
