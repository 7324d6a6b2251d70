import { durationIn, unitName } from '../../../parts/forms/duration/duration.ts'

/** The delays of an installation whose operator has set none. The API refuses others by name. */
const usual = ['1s', '5s', '30s', '5m', '30m', '2h', '8h']

/** What a retry may wait for: the usual delays, and the present one. */
export const delayNames = (present: string): readonly string[] =>
  usual.includes(present) ? usual : [...usual, present]

/** Returns words such as `30 seconds`, or a name that is no duration as it is. */
export function delayWords(name: string): string {
  const duration = durationIn(name)
  return duration === null ? name : `${duration.amount} ${unitName(duration)}`
}
