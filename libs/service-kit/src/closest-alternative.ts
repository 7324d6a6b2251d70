type Fault = { path: readonly PropertyKey[] }

/**
 * Returns the faults of the alternative of a union that a value came closest to: those of the
 * alternative whose faults are all nested. Returns `undefined` if the value is near to none.
 */
export function closestAlternative<T extends Fault>(
  alternatives: readonly (readonly T[])[],
): readonly T[] | undefined {
  const inside = alternatives.filter((faults) => faults.every(({ path }) => path.length > 0))
  return inside.toSorted((a, b) => a.length - b.length)[0]
}
