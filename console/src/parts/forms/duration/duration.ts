/** From the shortest to the longest, with the milliseconds of one. */
export const units = [
  ['ms', 'milliseconds', 1],
  ['s', 'seconds', 1_000],
  ['m', 'minutes', 60_000],
  ['h', 'hours', 3_600_000],
  ['d', 'days', 86_400_000],
] as const

export type Unit = (typeof units)[number][0]

/** A duration as a form holds it: the amount as it was typed. */
export type Duration = { amount: string; unit: Unit }

const unitMs = (unit: Unit): number => units.find(([name]) => name === unit)?.[2] ?? 1

/** Seconds in the longest unit that has a whole number of them: 900 are 15 minutes. */
export function durationOfSeconds(seconds: string): Duration {
  const ms = wholeIn(seconds) * 1_000
  const [unit] = units.findLast(([name, , size]) => name !== 'ms' && ms % size === 0) ?? ['s']
  if (Number.isNaN(ms) || ms === 0) return { amount: seconds, unit: 's' }
  return { amount: String(ms / unitMs(unit)), unit }
}

/** Returns whole seconds as text. An amount that makes none stays as it was typed. */
export function secondsOf({ amount, unit }: Duration): string {
  const seconds = (Number(amount) * unitMs(unit)) / 1_000
  return amount.trim() !== '' && Number.isInteger(seconds) ? String(seconds) : amount
}

/** The parts of a duration such as `30s`, null for another text. */
export function durationIn(text: string): Duration | null {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  return unit === undefined || amount === undefined ? null : { amount, unit: unit as Unit }
}

/** Such as `seconds`, or `second` for one. */
export function unitName({ amount, unit }: Duration): string {
  const name = units.find(([short]) => short === unit)?.[1] ?? unit
  return Number(amount) === 1 ? name.slice(0, -1) : name
}

const wholeIn = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN)
