import { describe, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/world.ts'
import { faultsOfAccess } from './support/axe.ts'
import { signIn, signInAsOperator } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, link, heading, inDialog, choose } = under
const focused = (target: Locator) => target.and(under.page.locator(':focus'))
const adminCall = (request: string, body?: object) =>
  admin(under.console.world.system, request, body)

const widthOf = (width: number) => under.page.setViewportSize({ width, height: 800 })

/** On a phone, the navigation is behind a button. */
async function goTo(name: string): Promise<void> {
  if (await button('Menu').isVisible()) await button('Menu').click()
  await under.page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
}

describe.each([1440, 390])('at %i px', (width) => {
  it('moves through a list by keys, opens its entry, and leaves fields alone', async () => {
    await widthOf(width)
    const { keyboard } = under.page
    for (const name of ['a', 'b', 'c']) await under.tenant.putTable(name)
    await signIn(under.page, under.tenant)
    await goTo('Tables')
    await link('a').waitFor()
    await keyboard.press('j')
    await focused(link('a')).waitFor()
    const row = under.page.getByRole('row').filter({ has: link('a') })
    const outline = await under.page.evaluate(
      'getComputedStyle(document.activeElement).outlineStyle',
    )
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
    await under.page.getByLabel('Record id').waitFor()
    await keyboard.press('/')
    await focused(under.page.getByLabel('Status')).waitFor()
    await under.page.getByLabel('Record id').focus()
    await keyboard.type('jk?/')
    expect(await under.page.getByLabel('Record id').inputValue()).toBe('jk?/')
    expect(await under.page.getByRole('dialog').count()).toBe(0)
    await heading('Deliveries').focus()
    await keyboard.press('?')
    const keys = under.page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Redeliver the delivery').waitFor()
    expect(await faultsOfAccess(under.page)).toEqual([])
    await keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await goTo('Stream')
    await heading('Stream').waitFor()
    await keyboard.press('?')
    await keys.getByText('Next entry').waitFor()
    expect(await keys.getByText('Redeliver the delivery').count()).toBe(0)
    expect(under.faults).toEqual([])
  })

  it('keeps the chosen theme, which is there before the page is', async () => {
    await widthOf(width)
    await under.page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.body === null) return
      window.themeAtFirst = document.documentElement.dataset.theme ?? 'system'
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })`)
    await signIn(under.page, under.tenant, { stay: true })
    if (width < 960) await button('Menu').click()
    const background = () =>
      under.page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const light = await background()
    await under.page.getByRole('radio', { name: 'Dark' }).check()
    const dark = await background()
    expect(dark).not.toBe(light)
    expect(await faultsOfAccess(under.page)).toEqual([])
    await under.page.reload()
    await heading('Overview').waitFor()
    expect(await under.page.evaluate('window.themeAtFirst')).toBe('dark')
    expect(await background()).toBe(dark)
    if (width < 960) await button('Menu').click()
    await under.page.emulateMedia({ colorScheme: 'dark' })
    await under.page.getByRole('radio', { name: 'Light' }).check()
    expect(await background()).toBe(light)
    await under.page.getByRole('radio', { name: 'System' }).check()
    expect(await background()).toBe(dark)
    await under.page.emulateMedia({ colorScheme: 'light' })
    await eventually(background, (found) => found === light)
    expect(await under.page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}')
    expect(under.faults).toEqual([])
  })
})

it('switches the environment on the same page, and leads from an id to its list', async () => {
  expectStatus(200, await adminCall(`PUT /${under.tenant.projectId}/environments/staging`, {}))
  await under.tenant.putTable('orders')
  const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
  await under.tenant.subscribe(url, { name: 'Only in master' })
  await signIn(under.page, under.tenant, { stay: true })
  await link('Webhooks').click()
  await under.page.getByText('Only in master').waitFor()
  const environment = button(/^Environment: /)
  const change = async (name: string) => {
    await environment.click()
    await under.page.getByRole('menuitemradio', { name }).click()
    await button(`Environment: ${name}`).waitFor()
  }
  await change('staging')
  await under.page.getByText('No webhooks yet').waitFor()
  expect(new URL(under.page.url()).pathname).toBe('/console/webhooks')
  await focused(button('Environment: staging')).waitFor()
  await under.page.reload()
  await button('Environment: staging').waitFor()
  await change('master')
  await link(/Only in master/).click()
  await heading('Only in master').waitFor()
  await under.page.keyboard.press('Control+k')
  await under.page.getByRole('combobox', { name: 'Search' }).fill('stag')
  await under.page.getByRole('option', { name: /staging/ }).click()
  await heading('Webhooks').waitFor()
  await under.page.getByText('No webhooks yet').waitFor()
  expect(under.faults).toEqual([])
})

it('has no switch for a token of one environment', async () => {
  const tenant = await under.console.world.tenant({ tokenFor: ['master'] })
  expectStatus(200, await adminCall(`PUT /${tenant.projectId}/environments/staging`, {}))
  const answer = under.page.waitForResponse(/\/projects\/[^/]+\/environments$/)
  await signIn(under.page, tenant)
  expect(await (await answer).json()).toEqual({ environments: ['master'] })
  await heading('Overview').waitFor()
  await under.page.getByRole('region', { name: 'Signed in' }).getByText('master').waitFor()
  expect(await button(/^Environment/).count()).toBe(0)
  expect(under.faults).toEqual([])
})

it('searches the lists of the operator, with dates, and destroys from menus only', async () => {
  const { projectId } = under.tenant
  await adminCall(`PUT /${projectId}/environments/staging`, {})
  for (const name of ['deploy', 'old']) {
    expectStatus(201, await adminCall(`POST /${projectId}/management-tokens`, { name }))
  }
  await signInAsOperator(under.page, under.console.world.system.adminToken)
  await under.page.getByLabel('Search projects').waitFor()
  await under.page.keyboard.press('/')
  await under.page.keyboard.type(projectId.toUpperCase())
  await under.page.getByText(projectId, { exact: true }).waitFor()
  await eventually(
    () => under.page.locator('[data-row]').count(),
    (rows) => rows === 1,
  )
  expect(await under.page.locator('[data-row] time').count()).toBe(1)
  expect(
    await under.page
      .getByRole('main')
      .getByRole('button', { name: /delete/i })
      .count(),
  ).toBe(0)
  await choose('Delete the project', projectId)
  await inDialog('Cancel').click()
  await under.page.reload()
  await under.page.getByText(projectId, { exact: true }).waitFor()
  expect(await under.page.getByLabel('Search projects').inputValue()).toBe(projectId.toUpperCase())
  await link('staging').click()
  await heading(`${projectId} / staging`).waitFor()
  await button('Environment: staging').click()
  await under.page.getByRole('menuitemradio', { name: 'master' }).click()
  await heading(`${projectId} / master`).waitFor()

  await link('Tokens').click()
  await under.page.getByLabel('Search tokens').fill('nobody')
  await under.page.getByText('No token has this in its name').waitFor()
  await under.page.getByLabel('Search tokens').fill('DEPL')
  await under.page.getByText('deploy', { exact: true }).waitFor()
  await eventually(
    () => under.page.locator('[data-row]').count(),
    (rows) => rows === 1,
  )
  await choose('Revoke', 'deploy')
  await inDialog('Revoke the token').click()
  await under.page.getByText('No token has this in its name').waitFor()
  expect(under.faults).toEqual([])
})

it('leads from each page to the docs that explain it', async () => {
  await signIn(under.page, under.tenant)
  const docs = under.page.getByRole('link', { name: /^Docs of this page/ })
  await docs.waitFor()
  const overview = await docs.getAttribute('href')
  await link('Stream').click()
  await heading('Stream').waitFor()
  expect(await docs.getAttribute('href')).toMatch(/\/docs\/guides\/streaming\.md$/)
  expect(overview).toMatch(/\/docs\/guides\/console\.md/)
  expect(under.faults).toEqual([])
})

/**
 * Opens the filters, and stops the clock of the page: what happens after a pause then happens when
 * `clock.runFor` says so.
 */
async function openFilters(): Promise<void> {
  await signIn(under.page, under.tenant)
  await link('Deliveries').click()
  await under.page.getByLabel('Record id').waitFor()
  await under.page.clock.install()
  await under.page.clock.pauseAt(Date.now() + 3_600_000)
}

describe('a filter that is still being typed', () => {
  it('keeps no link from its page, whose script is on its way', async () => {
    const script = Promise.withResolvers<void>()
    await under.page.route(/\/stream-page-[^/]*\.js$/, async (route) => {
      await script.promise
      await route.continue()
    })
    await openFilters()
    await under.page.getByLabel('Record id').fill('r1')
    await link('Stream').click()
    await under.page.locator('main[aria-busy=true]').waitFor()
    await under.page.clock.runFor(1_000)
    script.resolve()
    await heading('Stream').waitFor()
    expect(new URL(under.page.url()).search).toBe('')
  })

  it('is kept beside a choice that was made meanwhile', async () => {
    await openFilters()
    await under.page.getByLabel('Record id').fill('r1')
    await under.page.getByLabel('Status', { exact: true }).selectOption('pending')
    await under.page.clock.runFor(1_000)
    await under.page.waitForURL(/recordId=r1/)
    expect(new URL(under.page.url()).searchParams.get('status')).toBe('pending')
  })
})

it('leads nobody on after a call who went elsewhere while it ran', async () => {
  await under.tenant.putTable('orders')
  await under.tenant.insert({ note: 'first' })
  await signIn(under.page, under.tenant)
  await link('Tables').click()
  await link('orders').click()
  // The page of a record is loaded from now on, so a call leads there at once.
  await under.page.getByRole('region', { name: 'Records of orders' }).getByRole('link').click()
  await heading('Record').waitFor()
  await under.page.getByRole('main').getByRole('link', { name: 'orders' }).click()
  await link('New record').first().click()
  const call = Promise.withResolvers<void>()
  await under.page.route('**/gw/api/rest/orders', async (route) => {
    await call.promise
    await route.continue()
  })
  await button('Create the record').click()
  await link('Stream').click()
  await heading('Stream').waitFor()
  call.resolve()
  await under.page.getByText('Record created').first().waitFor()
  expect(new URL(under.page.url()).pathname).toBe('/console/stream')
})
