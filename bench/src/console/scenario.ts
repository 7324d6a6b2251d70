import { openBrowser } from '@surehook/scripts/browser/open-browser'
import type { Browser, Page } from 'playwright-core'
import { openManyDeliveries } from '../history/many-deliveries.ts'
import { insertAtRate } from '../load/load.ts'
import { Latencies } from '../measure/latencies.ts'
import type { Bench } from '../platform/open-bench.ts'
import { type BenchProject, createProject, createTable, subscribe } from '../platform/platform.ts'
import { milliseconds, printRows, type Row, rateOf } from '../report/report.ts'
import { framesDuring } from './frames.ts'
import { interactionsOf } from './interactions.ts'
import { addProbe, longestInput, timed } from './probe.ts'

const days = 29
const rounds = 30
const limit = '< 100 ms'
const tail = { perSecond: 200, seconds: 20 }
const frameTarget = '≥ 50/s'

/** Measures the console in a browser, on a history of that many deliveries. */
export async function consoleLists(bench: Bench, deliveries: number): Promise<void> {
  const project = await createProject(bench.system)
  await createTable(project, 'bench')
  const subscriptionId = await subscribe(project, 'bench', bench.receiver.url('/hook'))
  const subscriber = { projectId: project.projectId, subscriptionId }
  await using many = await openManyDeliveries(bench.system.databaseUrl, subscriber)
  // New deliveries of the live list must be the newest.
  await many.fill(deliveries, days, 'yesterday')

  await using browser = await openBrowser(process.env)
  const page = await openConsole(browser, project)
  const title = `the console, ${deliveries.toLocaleString('en')} deliveries`
  printRows(`${title}: from the input to the painted answer`, await interactionRows(page))
  printRows(`${title}: live tail`, await tailRows(browser, page, project))
  await project.call('DELETE', `/_webhooks/${subscriptionId}`)
}

async function openConsole(browser: Browser, project: BenchProject): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  await addProbe(page)
  await page.goto(consoleUrl(project))
  await page.getByLabel('Project').fill(project.projectId)
  await page.getByLabel('Environment').fill('master')
  const [, token = ''] = project.headers['authorization']?.split(' ') ?? []
  await page.getByLabel('Management token').fill(token)
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return page
}

const consoleUrl = ({ system }: BenchProject) => `${system.baseUrl}/console/`

/** Each round begins with an empty cache of answers. */
async function interactionRows(page: Page): Promise<Row[]> {
  const taken = new Map<string, Latencies>()
  const overview = page.url()
  let longest = 0
  for (let round = 0; round < rounds; round++) {
    await page.goto(overview)
    await page.getByText('Dead letters').first().waitFor()
    for (const one of interactionsOf(`record-${round + 1}`)) {
      await page.waitForLoadState('networkidle')
      const latencies = taken.get(one.name) ?? new Latencies()
      latencies.add(await timed(page, one))
      taken.set(one.name, latencies)
    }
    longest = Math.max(longest, await longestInput(page))
  }
  return [
    ...[...taken].map(([measure, latencies]) => ({
      measure,
      value: text(latencies),
      target: limit,
    })),
    { measure: 'longest input to next frame', value: milliseconds(longest), target: limit },
  ]
}

function text(latencies: Latencies): string {
  const [p50, p95, max] = latencies.percentiles(0.5, 0.95, 1).map(milliseconds)
  return `p50 ${p50}, p95 ${p95}, max ${max}`
}

/** Rows that the list draws. */
const countRows = `
window.drawnRows = 0
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) if (node.nodeName === 'TR') window.drawnRows += 1
}).observe(document.body, { childList: true, subtree: true })`

async function tailRows(browser: Browser, page: Page, project: BenchProject): Promise<Row[]> {
  // A list under the pointer stands still.
  await page.mouse.move(0, 0)
  await page.goto(`${consoleUrl(project)}deliveries?live=on`)
  await page.getByText('The list is live').waitFor()
  await page.evaluate(countRows)
  let failed = 0
  const frames = await framesDuring(browser, page, async () => {
    failed = (await insertAtRate(project, 'bench', tail)).failed
  })
  const drawn = await page.evaluate<number>('window.drawnRows')
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  return [
    { measure: 'deliveries made', value: rateOf(tail.perSecond - failed / tail.seconds) },
    { measure: 'rows drawn', value: rateOf(drawn / tail.seconds) },
    { measure: 'frames', value: rateOf(frames.perSecond), target: frameTarget },
    { measure: 'longest time without a frame', value: milliseconds(frames.longestMs) },
    { measure: 'main thread', value: `${(frames.mainThread * 100).toFixed(0)} % of a core` },
    { measure: 'frames dropped', value: String(frames.dropped) },
    { measure: 'elements of the page afterwards', value: nodes.toLocaleString('en') },
  ]
}
