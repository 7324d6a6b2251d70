import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Locator, Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
import { faultsOfAccess } from './support/axe.ts'
import {
  type ConsoleWorld,
  openConsole,
  signIn,
  signInAsOperator,
} from './support/console-world.ts'
import { onPage } from './support/on-page.ts'

const opened = new AsyncDisposableStack()
let console: ConsoleWorld<SharedSystem>
let tenant: Tenant
let page: Page
let faults: string[]

beforeAll(async () => {
  console = opened.use(await openConsole(openSharedWorld))
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await console.world.tenant()
})

const { button, link, heading, inDialog, choose } = onPage(() => page)
const focused = (target: Locator) => target.and(page.locator(':focus'))
const adminCall = (request: string, body?: object) => admin(console.world.system, request, body)

async function open(width = 1440): Promise<void> {
  ;({ page, faults } = await console.open('', { viewport: { width, height: 800 } }))
}

/** On a phone, the navigation is behind a button. */
async function goTo(name: string): Promise<void> {
  if (await button('Menu').isVisible()) await button('Menu').click()
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
}

describe.each([1440, 390])('at %i px', (width) => {
  it('moves through a list by keys, opens its entry, and leaves fields alone', async () => {
    await open(width)
    const { keyboard } = page
    for (const name of ['a', 'b', 'c']) await tenant.putTable(name)
    await signIn(page, tenant)
    await goTo('Tables')
    await link('a').waitFor()
    await keyboard.press('j')
    await focused(link('a')).waitFor()
    const row = page.getByRole('row').filter({ has: link('a') })
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).toBe('solid')
    expect(await row.evaluate((one) => one.matches(':focus-within'))).toBe(true)
    await keyboard.press('ArrowDown')
    await keyboard.press('j')
    await keyboard.press('j')
    await focused(link('c')).waitFor()
    await keyboard.press('k')
    await focused(link('b')).waitFor()
    await keyboard.press('Tab')
    await focused(link('c')).waitFor()
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await heading('b').waitFor()

    await goTo('Deliveries')
    await page.getByLabel('Record id').waitFor()
    await keyboard.press('/')
    await focused(page.getByLabel('Status')).waitFor()
    await page.getByLabel('Record id').focus()
    await keyboard.type('jk?/')
    expect(await page.getByLabel('Record id').inputValue()).toBe('jk?/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await heading('Deliveries').focus()
    await keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Redeliver the delivery').waitFor()
    expect(await faultsOfAccess(page)).toEqual([])
    await keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await goTo('Stream')
    await heading('Stream').waitFor()
    await keyboard.press('?')
    await keys.getByText('Next entry').waitFor()
    expect(await keys.getByText('Redeliver the delivery').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('keeps the chosen theme, which is there before the page is', async () => {
    await open(width)
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.body === null) return
      window.themeAtFirst = document.documentElement.dataset.theme ?? 'system'
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })`)
    await signIn(page, tenant, { stay: true })
    if (width < 960) await button('Menu').click()
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const light = await background()
    await page.getByRole('radio', { name: 'Dark' }).check()
    const dark = await background()
    expect(dark).not.toBe(light)
    expect(await faultsOfAccess(page)).toEqual([])
    await page.reload()
    await heading('Overview').waitFor()
    expect(await page.evaluate('window.themeAtFirst')).toBe('dark')
    expect(await background()).toBe(dark)
    if (width < 960) await button('Menu').click()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('radio', { name: 'Light' }).check()
    expect(await background()).toBe(light)
    await page.getByRole('radio', { name: 'System' }).check()
    expect(await background()).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    await eventually(background, (found) => found === light)
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}')
    expect(faults).toEqual([])
  })
})

it('switches the environment on the same page, and leads from an id to its list', async () => {
  expectStatus(200, await adminCall(`PUT /${tenant.projectId}/environments/staging`, {}))
  await tenant.putTable('orders')
  const url = console.world.receiver.url(`/${tenant.projectId}`)
  await tenant.subscribe(url, { name: 'Only in master' })
  await open()
  await signIn(page, tenant, { stay: true })
  await link('Webhooks').click()
  await page.getByText('Only in master').waitFor()
  const environment = button(/^Environment: /)
  const change = async (name: string) => {
    await environment.click()
    await page.getByRole('menuitemradio', { name }).click()
    await button(`Environment: ${name}`).waitFor()
  }
  await change('staging')
  await page.getByText('No webhooks yet').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/webhooks')
  await focused(button('Environment: staging')).waitFor()
  await page.reload()
  await button('Environment: staging').waitFor()
  await change('master')
  await link(/Only in master/).click()
  await heading('Only in master').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('stag')
  await page.getByRole('option', { name: /staging/ }).click()
  await heading('Webhooks').waitFor()
  await page.getByText('No webhooks yet').waitFor()
  expect(faults).toEqual([])
})

it('has no switch for a token of one environment', async () => {
  tenant = await console.world.tenant({ tokenFor: ['master'] })
  expectStatus(200, await adminCall(`PUT /${tenant.projectId}/environments/staging`, {}))
  await open()
  const answer = page.waitForResponse(/\/projects\/[^/]+\/environments$/)
  await signIn(page, tenant)
  expect(await (await answer).json()).toEqual({ environments: ['master'] })
  await heading('Overview').waitFor()
  await page.getByRole('region', { name: 'Signed in' }).getByText('master').waitFor()
  expect(await button(/^Environment/).count()).toBe(0)
  expect(faults).toEqual([])
})

it('searches the lists of the operator, with dates, and destroys from menus only', async () => {
  const { projectId } = tenant
  await adminCall(`PUT /${projectId}/environments/staging`, {})
  for (const name of ['deploy', 'old']) {
    expectStatus(201, await adminCall(`POST /${projectId}/management-tokens`, { name }))
  }
  await open()
  await signInAsOperator(page, console.world.system.adminToken)
  await page.getByLabel('Search projects').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(projectId.toUpperCase())
  await page.getByText(projectId, { exact: true }).waitFor()
  await eventually(
    () => page.locator('[data-row]').count(),
    (rows) => rows === 1,
  )
  expect(await page.locator('[data-row] time').count()).toBe(1)
  expect(
    await page
      .getByRole('main')
      .getByRole('button', { name: /delete/i })
      .count(),
  ).toBe(0)
  await choose('Delete the project', projectId)
  await inDialog('Cancel').click()
  await page.reload()
  await page.getByText(projectId, { exact: true }).waitFor()
  expect(await page.getByLabel('Search projects').inputValue()).toBe(projectId.toUpperCase())
  await link('staging').click()
  await heading(`${projectId} / staging`).waitFor()
  await button('Environment: staging').click()
  await page.getByRole('menuitemradio', { name: 'master' }).click()
  await heading(`${projectId} / master`).waitFor()

  await link('Tokens').click()
  await page.getByLabel('Search tokens').fill('nobody')
  await page.getByText('No token has this in its name').waitFor()
  await page.getByLabel('Search tokens').fill('DEPL')
  await page.getByText('deploy', { exact: true }).waitFor()
  await eventually(
    () => page.locator('[data-row]').count(),
    (rows) => rows === 1,
  )
  await choose('Revoke', 'deploy')
  await inDialog('Revoke the token').click()
  await page.getByText('No token has this in its name').waitFor()
  expect(faults).toEqual([])
})

it('leads from each page to the docs that explain it', async () => {
  await open()
  await signIn(page, tenant)
  const docs = page.getByRole('link', { name: /^Docs of this page/ })
  await docs.waitFor()
  const overview = await docs.getAttribute('href')
  await link('Stream').click()
  await heading('Stream').waitFor()
  expect(await docs.getAttribute('href')).toMatch(/\/docs\/guides\/streaming\.md$/)
  expect(overview).toMatch(/\/docs\/guides\/console\.md/)
  expect(faults).toEqual([])
})
