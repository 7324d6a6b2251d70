import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { openWorld } from '../support/world.ts'
import { faultsOfAccess } from './support/axe.ts'
import {
  type ConsoleWorld,
  openConsole,
  signIn,
  signInAsOperator,
} from './support/console-world.ts'
import { type ConsolePageCase, developerPages, operatorPages } from './support/pages.ts'
import { type SeededProject, seed } from './support/seed.ts'

const opened = new AsyncDisposableStack()
let console: ConsoleWorld
let seeded: SeededProject

beforeAll(async () => {
  console = opened.use(await openConsole(openWorld, { env: { WEBHOOK_CIRCUIT_COOLDOWN: '10m' } }))
  seeded = await seed(console.world, await console.world.tenant(), { orders: 4 })
})
afterAll(() => opened.disposeAsync())

async function show(page: Page, { path, shows, isLive }: ConsolePageCase): Promise<void> {
  await page.goto(`${console.world.system.baseUrl}/console/${path(seeded)}`)
  await page.getByText(shows).first().waitFor()
  if (isLive !== true) await page.waitForLoadState('networkidle')
}

/** The faults that no page may have. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults = await faultsOfAccess(page)
  if ((await page.evaluate('window.hacked')) !== undefined) faults.push('a text ran as a script')
  return [...faults, ...(await faultsOfWidth(page))]
}

const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const widthOfPage = `document.querySelector('.page, .sign-in-card').getBoundingClientRect().width`

async function faultsOfWidth(page: Page): Promise<string[]> {
  const faults: string[] = []
  if ((await page.evaluate<number>(sideways)) > 0) faults.push('the page scrolls sideways')
  if ((await page.evaluate<number>(widthOfPage)) > widestPage) faults.push('lines are too long')
  return faults
}

/** Nobody reads lines from one edge of a large screen to the other. */
const widestPage = 1_440

/** What a large screen shows. */
async function faultsWhenLarge(page: Page): Promise<string[]> {
  const viewport = page.viewportSize() ?? { width: 0, height: 0 }
  await page.setViewportSize({ width: 2560, height: 1440 })
  const faults = await faultsOfWidth(page)
  await page.setViewportSize(viewport)
  return faults.map((fault) => `at 2560 px ${fault}`)
}

const looks = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const

describe.each(looks)('in $colorScheme at $viewport.width px', (look) => {
  it('axe finds nothing, no text runs, and nothing is refused on the sign-in page', async () => {
    const { page, faults } = await console.open('', look)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('axe finds nothing, no text runs, and nothing is refused on any page', async () => {
    const developer = await console.open('', look)
    await signIn(developer.page, seeded.tenant, { stay: true })
    const operator = await console.open('', look)
    await signInAsOperator(operator.page, console.world.system.adminToken)
    const found: Record<string, string[]> = {}
    const cases = [
      ...developerPages.map((one) => [developer, one] as const),
      ...operatorPages.map((one) => [operator, one] as const),
    ]
    for (const [{ page, faults }, one] of cases) {
      await show(page, one)
      const all = [...(await faultsOf(page)), ...faults.splice(0)]
      if (look.colorScheme === 'light') all.push(...(await faultsWhenLarge(page)))
      if (all.length > 0) found[one.name] = all
    }
    expect(found).toEqual({})
    await developer.page.context().close()
    await operator.page.context().close()
  })
})

it('shows one tenant nothing of another', async () => {
  const other = await console.world.tenant()
  const { page } = await console.open()
  await signIn(page, other, { stay: true })
  await page.getByText('Your first webhook').waitFor()
  const { webhookId, deliveryId, eventId } = seeded
  for (const path of [
    `webhooks/${webhookId}`,
    `deliveries/${webhookId}/${deliveryId}`,
    `events/${eventId}`,
  ]) {
    await page.goto(`${console.world.system.baseUrl}/console/${path}`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('main').innerText()).not.toContain('orders')
  }
  await page.context().close()
})
