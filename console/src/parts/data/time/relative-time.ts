const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })

/** Such as `3m ago` or `in 5s`. */
export function relativeTime(at: Date, now: Date): string {
  const elapsed = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(elapsed) < 1) return 'now'
  const [unit, length] = units.find(([, size]) => Math.abs(elapsed) >= size) ?? ['second', 1]
  return words.format(Math.trunc(elapsed / length), unit)
}

const parts = {
  ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const),
}
const toTheSecond = new Intl.DateTimeFormat('en-GB', parts)
const toTheMillisecond = new Intl.DateTimeFormat('en-GB', { ...parts, fractionalSecondDigits: 3 })

/** The time in the reader's zone. Attempts within a second differ by their milliseconds. */
export const exactTime = (at: Date): string =>
  (at.getMilliseconds() === 0 ? toTheSecond : toTheMillisecond).format(at)

/** When something is due: `in 4:05`, or `due now`. */
export const dueText = (at: Date, now: Date): string =>
  at <= now ? 'due now' : `in ${countdown(at, now)}`

/** How long until then: `4:05`, `2:00:00`. Never below `0:00`. */
export function countdown(until: Date, now: Date): string {
  const left = Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1_000))
  const [hours, minutes, seconds] = [
    Math.floor(left / 3_600),
    Math.floor(left / 60) % 60,
    left % 60,
  ]
  const [mm, ss] = [`${minutes}`, `${seconds}`.padStart(2, '0')]
  return hours > 0 ? `${hours}:${mm.padStart(2, '0')}:${ss}` : `${mm}:${ss}`
}
