import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
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
  await tenant.putTable('orders')
})

const { button, heading } = onPage(() => page)
const palette = () => page.getByRole('dialog', { name: 'Search' })
const input = () => palette().getByRole('combobox', { name: 'Search' })
const entry = (name: string | RegExp) => palette().getByRole('option', { name })

async function open(width = 1440): Promise<void> {
  const viewport = { width, height: 800 }
  ;({ page, faults } = await console.open('', { viewport }))
  await signIn(page, tenant)
  await heading('Overview').waitFor()
}

/** Opens the palette by its keys, and types. */
async function find(text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await input().fill(text)
}

describe.each([1440, 390])('at %i px', (width) => {
  it('goes to a page, a webhook by name, key and URL, a table, a delivery and an event', async () => {
    const url = console.world.receiver.url(`/${tenant.projectId}`)
    const { id } = await tenant.subscribe(url, { name: 'Invoices of ACME', key: 'billing' })
    await tenant.insert()
    const [delivery] = await eventually(
      () => tenant.deliveries(id),
      (all) => all.length === 1,
    )
    const { id: deliveryId, eventId } = delivery ?? { id: '', eventId: '' }
    await open(width)

    await button('Search').click()
    await input().and(page.locator(':focus')).waitFor()
    await input().fill('deliv')
    expect(await faultsOfAccess(page)).toEqual([])
    await entry('Deliveries').click()
    await heading('Deliveries').waitFor()
    await eventually(
      () => page.locator('h1:focus').count(),
      (focused) => focused === 1,
    )

    for (const text of ['invoices of', 'BILLING', `/${tenant.projectId}`]) {
      await find(text)
      await entry(/Invoices of ACME/).waitFor()
      await page.keyboard.press('Enter')
      await heading('Invoices of ACME').waitFor()
    }
    await find('order')
    await entry('orders').click()
    await heading('orders').waitFor()
    await find(deliveryId)
    await entry(`Delivery ${deliveryId}`).click()
    await heading('Delivery').waitFor()
    await find(eventId)
    await entry(`Event ${eventId}`).click()
    await heading('Event').waitFor()
    expect(page.url()).toContain(`/events/${eventId}`)
    expect(faults).toEqual([])
  })
})

it('works with the keyboard alone, and gives the focus back', async () => {
  await open()
  await page.keyboard.press('Control+k')
  const active = () => input().getAttribute('aria-activedescendant')
  await entry('Overview').waitFor()
  const first = await active()
  await page.keyboard.press('ArrowDown')
  await eventually(active, (id) => id !== null && id !== first)
  expect(await page.locator(`[id="${await active()}"]`).innerText()).toBe('Webhooks')
  await page.keyboard.press('ArrowUp')
  await eventually(active, (id) => id === first)
  for (let n = 0; n < 4; n++) await page.keyboard.press('Tab')
  expect(await palette().locator(':focus').count()).toBe(1)
  await page.keyboard.press('Escape')
  await palette().waitFor({ state: 'detached' })

  // The keys close it too, and the element that had the focus gets it again.
  await button('Search').focus()
  await find('nothing has this name')
  await palette().getByText('Nothing matches').waitFor()
  await page.keyboard.press('Control+k')
  await palette().waitFor({ state: 'detached' })
  await button('Search').and(page.locator(':focus')).waitFor()
  expect(faults).toEqual([])
})

it('asks the API for a few webhooks only, and never shows an answer to an older query', async () => {
  const url = console.world.receiver.url(`/${tenant.projectId}`)
  for (let n = 0; n < 9; n++) await tenant.subscribe(url, { name: `First ${n}` })
  await tenant.subscribe(url, { name: 'Second' })
  await open()
  const asked: URLSearchParams[] = []
  const old = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await page.route('**/_webhooks?*search=*', async (route) => {
    const { searchParams } = new URL(route.request().url())
    asked.push(searchParams)
    if (searchParams.get('search') !== 'first') return route.continue()
    await old.promise
    // The page may have given the request up.
    await route.continue().catch(() => undefined)
    answered.resolve()
  })
  await find('first')
  await eventually(
    async () => asked.length,
    (count) => count === 1,
  )
  await input().fill('second')
  await entry(/^Second/).waitFor()
  old.resolve()
  await answered.promise
  await page.waitForLoadState('networkidle')
  expect(await entry(/^First/).count()).toBe(0)
  expect(await entry(/^Second/).count()).toBe(1)

  await input().fill('FIRST')
  await palette().getByText('The first 8 are shown').waitFor()
  expect(await entry(/^First/).count()).toBe(8)
  expect(asked.map((one) => one.get('limit'))).toEqual(['8', '8', '8'])
  expect(faults).toEqual([])
})

it('says that the search failed, and shows what it knows itself', async () => {
  await open()
  await page.route('**/_webhooks?*search=*', (route) =>
    route.fulfill({ status: 400, json: { error: 'VALIDATION_ERROR', message: 'Broken' } }),
  )
  await find('webhooks')
  await palette().getByText('Broken').waitFor()
  await entry('Webhooks').click()
  await heading('Webhooks').waitFor()
})

it('finds a project for the operator, and keeps the kind of page', async () => {
  ;({ page, faults } = await console.open())
  await signInAsOperator(page, console.world.system.adminToken)
  await find(tenant.projectId.toUpperCase())
  await entry(`${tenant.projectId} / master`).click()
  await heading(`${tenant.projectId} / master`).waitFor()
  const other = await console.world.tenant()
  await find(tenant.projectId)
  await entry(`${tenant.projectId} Management tokens`).click()
  await heading(/^Management tokens of/).waitFor()
  await find(other.projectId)
  await entry(`${other.projectId} Management tokens`).waitFor()
  await page.keyboard.press('Enter')
  await heading(`Management tokens of ${other.projectId}`).waitFor()
  expect(faults).toEqual([])
})
