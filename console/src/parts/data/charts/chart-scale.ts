/** The fewest attempts that fill the chart, so that a single one is no full bar. */
const leastTop = 4
const mostTicks = 4

/** A round upper end for whole numbers up to `most`, and the lines to draw. */
export function scaleOf(most: number): { top: number; ticks: readonly number[] } {
  const wanted = Math.max(most, leastTop) / mostTicks
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = Math.ceil(power * ([1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10))
  const top = Math.ceil(Math.max(most, leastTop) / step) * step
  return { top, ticks: Array.from({ length: top / step + 1 }, (_, index) => index * step) }
}

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const everyHours = 4

/** The buckets that begin at a full fourth hour of the reader's zone, except at an edge. */
export function hourMarks(times: readonly Date[]): readonly { index: number; text: string }[] {
  const edge = times.length * 0.05
  return times.flatMap((at, index) => {
    const isFull = at.getHours() % everyHours === 0 && at.getMinutes() === 0
    const isAtEdge = index < edge || index > times.length - edge
    return isFull && !isAtEdge ? [{ index, text: hour.format(at) }] : []
  })
}
