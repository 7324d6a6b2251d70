import { countdown, exactTime, relativeTime } from './relative-time.ts'
import { useNow } from './use-now.ts'

/** A relative time. The pointer shows the exact one, in the reader's zone. */
export function Time({ at }: { at: string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)} className="nowrap">
      {relativeTime(date, now)}
    </time>
  )
}

export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{exactTime(new Date(at))}</time>
}

/** Counts down to a time. It is no live region: a reader would speak every second. */
export function Countdown({ until }: { until: string }) {
  const now = useNow()
  const date = new Date(until)
  return (
    <time dateTime={until} title={exactTime(date)} className="nowrap countdown">
      {countdown(date, now)}
    </time>
  )
}
