import type { RuledViolation } from '@surehook/contracts/problem'

/** A change before its validation. */
export type ChangeDraft = {
  faults: readonly RuledViolation[]
  /** The input of `ChangeInput`. If it is undefined, `faults` say why. */
  input: unknown
  nameOf: NameOf
}

/**
 * Returns the name that a field of `ChangeInput` or an attribute of a CloudEvent has in the
 * request.
 */
export type NameOf = (field: string) => string
