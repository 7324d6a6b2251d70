import type { Page } from 'playwright-core'

/**
 * Runs in the page. `begin` waits for the next input of the user. `end` resolves with the time from
 * that input until a frame shows what `isDone` looks for.
 */
const source = `
window.probe = {
  longest: 0,
  begin() {
    const probe = window.probe
    probe.at = undefined
    probe.before = probe.list()
    const take = (event) => { probe.at ??= event.timeStamp }
    for (const type of ['pointerdown', 'keydown', 'change', 'popstate'])
      window.addEventListener(type, take, { capture: true, once: true })
  },
  end(isDone) {
    const painted = (resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => resolve(performance.now() - window.probe.at)
      port2.postMessage(null)
    }
    return new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('the page does not show ' + isDone)), 20_000)
      const look = () => (isDone() ? painted(resolve) : requestAnimationFrame(look))
      requestAnimationFrame(look)
    })
  },
  list: () =>
    [...document.querySelectorAll('[data-row-link]')].map((row) => row.dataset.rowLink).join(),
  isNewList: () => !['', window.probe.before].includes(window.probe.list()),
}
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries())
    window.probe.longest = Math.max(window.probe.longest, duration)
}).observe({ type: 'event', durationThreshold: 16 })
`

export type Interaction = {
  name: string
  /** What the user does. */
  act: (page: Page) => Promise<unknown>
  /** Runs in the page: whether it shows the answer. */
  isDone: string
}

export const addProbe = (page: Page): Promise<unknown> => page.addInitScript(source)

/** Resolves with the milliseconds from the input until the answer is painted. */
export async function timed(page: Page, { act, isDone }: Interaction): Promise<number> {
  await page.evaluate('window.probe.begin()')
  const [ms] = await Promise.all([
    page.evaluate<number>(`window.probe.end(() => ${isDone})`),
    act(page),
  ])
  return ms
}

/** The longest time from an input to the next frame, as the browser's Event Timing tells. */
export const longestInput = (page: Page): Promise<number> =>
  page.evaluate<number>('window.probe.longest')
