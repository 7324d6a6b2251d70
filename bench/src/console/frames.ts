import type { Browser, Page } from 'playwright-core'

export type Frames = {
  perSecond: number
  dropped: number
  /** The longest time without a new frame. */
  longestMs: number
}

/** Frames, and the share of a core that the page's main thread took. */
export type TracedFrames = Frames & { mainThread: number }

/** `ts` is in microseconds. */
type TraceEvent = { name: string; ts: number }

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame']

/** A pixel that changes in each frame, so that the browser draws every frame that it can. */
const pixel = `{
  const pixel = document.body.appendChild(document.createElement('div'))
  Object.assign(pixel.style, { position: 'fixed', width: '1px', height: '1px', bottom: '0' })
  let isDark = false
  const change = () => {
    isDark = !isDark
    pixel.style.background = isDark ? '#000' : '#fff'
    requestAnimationFrame(change)
  }
  requestAnimationFrame(change)
}`

/** Traces the frames that the browser draws while `run` runs. */
export async function framesDuring(
  browser: Browser,
  page: Page,
  run: () => Promise<unknown>,
): Promise<TracedFrames> {
  await page.evaluate(pixel)
  const session = await page.context().newCDPSession(page)
  // Time of the thread: waiting for a core does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpuS = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const [startedAt, before] = [performance.now(), await cpuS()]
  await browser.startTracing(page, { categories })
  await run()
  const mainThread = ((await cpuS()) - before) / ((performance.now() - startedAt) / 1_000)
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  return { ...framesOf(trace.traceEvents), mainThread }
}

export function framesOf(events: readonly TraceEvent[]): Frames {
  const timesOf = (name: string) =>
    events
      .filter((event) => event.name === name)
      .map(({ ts }) => ts / 1_000)
      .sort((a, b) => a - b)
  const drawn = timesOf('DrawFrame')
  const [first = 0, last = 0] = [drawn[0], drawn.at(-1)]
  const gaps = drawn.slice(1).map((at, n) => at - (drawn[n] ?? at))
  return {
    perSecond: ((drawn.length - 1) * 1_000) / (last - first),
    dropped: timesOf('DroppedFrame').length,
    longestMs: Math.max(0, ...gaps),
  }
}
