/** Throws `otherwise` unless `holds` is true. For checks of `/readyz`. */
export function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
