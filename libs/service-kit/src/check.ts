/** Throws when it does not hold, as a check of `/readyz` does. */
export function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
