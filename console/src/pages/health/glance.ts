import type { InstallationHealth } from '@surehook/client'
import { byteSize } from '@surehook/contracts/byte-size'
import { count, percent } from '../../parts/data/numbers.ts'

type Counts = NonNullable<InstallationHealth['deliveries']>['day']

/** Such as `3 (0.1%)`. The share is of the deliveries that ended. */
export function deadLetterText({ delivered, deadLetter }: Counts): string {
  const ended = delivered + deadLetter
  return ended === 0 ? '0' : `${count(deadLetter)} (${percent(deadLetter / ended)})`
}

/** The most important numbers, each with its name. What was not read is a dash. */
export function glanceOf(health: InstallationHealth): [string, string][] {
  const { circuits, groups, slots, deliveries } = health
  const open = circuits && circuits.open.length + circuits.leftOut
  const lag = groups && Math.max(0, ...groups.map((one) => one.lag))
  const kept = slots && Math.max(0, ...slots.map(({ retainedBytes }) => retainedBytes ?? 0))
  return [
    ['Open circuits', open === null ? '–' : count(open)],
    ['Most unread messages', lag === null ? '–' : count(lag)],
    ['Most WAL kept by a slot', kept === null ? '–' : byteSize(kept)],
    ['Dead letters, last hour', deliveries === null ? '–' : deadLetterText(deliveries.hour)],
    ['Dead letters, last 24 hours', deliveries === null ? '–' : deadLetterText(deliveries.day)],
  ]
}
