import type { Violation } from '@surehook/contracts/problem'

/** A change that was not checked yet. */
export type ChangeDraft = {
  faults: readonly Violation[]
  /** For `ChangeInput`; without one, `faults` say why. */
  input: unknown
  nameOf: NameOf
}

/** The name in the request of a field of `ChangeInput`, or of an attribute of a CloudEvent. */
export type NameOf = (field: string) => string
