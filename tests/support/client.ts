import type { Answer } from '@surehook/scripts/client/call'

/** The names of the fields that a 400 complains about. */
export const fieldsOf = ({ body }: Answer): string[] =>
  (body.violations ?? []).map(({ field }) => field)
