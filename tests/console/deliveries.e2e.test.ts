import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Locator, Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
import { type ConsoleWorld, openConsole, signIn } from './support/console-world.ts'
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
  await tenant.putTable('orders')
  ;({ page, faults } = await console.open())
})

const { button, link, heading, rows, inDialog } = onPage(() => page)

/** Makes deliveries, and waits until the history has `total` that arrived. */
async function deliver(webhookId: string, total: number): Promise<void> {
  await tenant.insert({ note: 'new' })
  await eventually(
    () => tenant.deliveries(webhookId),
    (all) => all.filter(({ status }) => status === 'delivered').length === total,
  )
}

const is = (wanted: number) => (found: number) => found === wanted
const rowsAre = (count: number) => eventually(() => rows().count(), is(count))

it('follows new deliveries live, and moves nothing that is read', async () => {
  const { id } = await tenant.subscribe(console.world.receiver.url(`/${tenant.projectId}`))
  await deliver(id, 1)
  await signIn(page, tenant)
  await link('Deliveries').click()
  await page.getByRole('switch', { name: 'Live' }).click()
  await page.getByText('The list is live').waitFor()
  await rowsAre(1)
  await deliver(id, 2)
  await rowsAre(2)

  await page.keyboard.press('j')
  const read = await rows().first().getAttribute('data-row-link')
  await page.getByText('The live list stands still while you read it.').waitFor()
  await deliver(id, 3)
  await button('1 newer').waitFor()
  expect(await rows().first().getAttribute('data-row-link')).toBe(read)
  await button('1 newer').click()
  await rowsAre(3)
  await page.getByText('The list is live').waitFor()

  await page.route('**/_deliveries?*', (route) => route.fulfill({ status: 400, json: {} }))
  await page.getByText('The live list tries again').waitFor()
  await rowsAre(3)
  await page.unroute('**/_deliveries?*')
  await page.getByText('The list is live').waitFor()
  expect(faults).toEqual([])
})

it('says which webhook, change and answer, on a phone too', async () => {
  const url = console.world.receiver.url(`/${tenant.projectId}`)
  const { id } = await tenant.subscribe(url)
  await deliver(id, 1)
  await signIn(page, tenant, { stay: true })
  const row = page.getByRole('row').filter({ hasText: 'HTTP 204' })
  const label = url.replace('https://', '')
  await link('Deliveries').click()
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await row.getByText(label).waitFor()
    await row.getByText('INSERT orders').waitFor()
    await row.getByText('HTTP 204').waitFor()
    expect(await row.getByRole('cell').count()).toBe(7)
  }
  await page.setViewportSize({ width: 1440, height: 800 })
  expect(await page.locator('[data-is-cut]').count()).toBe(0)
  await row.getByRole('link', { name: label }).click()
  await heading(url).waitFor()
  await page.getByRole('region', { name: 'Latest deliveries' }).getByText('INSERT orders').click()
  await heading('Delivery').waitFor()
  expect(faults).toEqual([])
})

/** Presses Tab until the control has the focus. */
async function tabTo(target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'))
  for (let n = 0; n < 80 && (await focused.count()) === 0; n++) await page.keyboard.press('Tab')
  expect(await focused.count()).toBe(1)
}

it('needs no mouse', async () => {
  const { receiver } = console.world
  const path = `/${tenant.projectId}`
  const { id } = await tenant.subscribe(receiver.url(path))
  await deliver(id, 1)
  const { keyboard } = page
  await tabTo(page.getByLabel('Project'))
  await keyboard.type(tenant.projectId)
  await tabTo(page.getByLabel('Management token'))
  await keyboard.type(tenant.token)
  await keyboard.press('Enter')
  await heading('Overview').waitFor()

  await tabTo(page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }))
  await keyboard.press('Enter')
  await rows().first().waitFor()
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await keyboard.press('j')
  await keyboard.press('r')
  await tabTo(inDialog('Redeliver'))
  await keyboard.press('Enter')
  await heading('Delivery').waitFor()
  await receiver.waitFor(path, 2)

  await tabTo(page.getByRole('main').getByRole('link', { name: 'Deliveries' }))
  await keyboard.press('Enter')
  await heading('Deliveries').waitFor()
  await rows().first().waitFor()
  await keyboard.press('j')
  await keyboard.press('Enter')
  await heading('Delivery').waitFor()
  expect(faults).toEqual([])
})
