/** Every role that the user has or could get, by name. */
export const choicesOf = (defined: readonly string[], held: readonly string[]): string[] =>
  [...new Set([...defined, ...held])].toSorted((a, b) => a.localeCompare(b))

/** The roles after a click on one of them. */
export const toggled = (roles: readonly string[], role: string): string[] =>
  roles.includes(role) ? roles.filter((one) => one !== role) : [...roles, role]

export const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((role) => b.includes(role))
