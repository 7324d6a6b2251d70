const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })

/** Such as `3m ago` or `in 5s`. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 1) return 'now'
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return words.format(Math.trunc(seconds / length), unit)
}

const exact = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'long',
})

/** The time in the reader's zone. */
export const exactTime = (at: Date): string => exact.format(at)

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
