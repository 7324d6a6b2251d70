import { countdown, dueText, exactTime, relativeTime } from './relative-time.ts'
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

/** When an attempt is due. It is no live region: a reader would speak every second. */
export function Due({ at }: { at: string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)} className="nowrap countdown">
      {dueText(date, now)}
    </time>
  )
}

type CountdownProps = {
  until: string
  /** What shows once the time has come. */
  over?: string
}

/** Counts down to a time. It is no live region: a reader would speak every second. */
export function Countdown({ until, over }: CountdownProps) {
  const now = useNow()
  const date = new Date(until)
  return (
    <time dateTime={until} title={exactTime(date)} className="nowrap countdown">
      {over !== undefined && date <= now ? over : countdown(date, now)}
    </time>
  )
}
