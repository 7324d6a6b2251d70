import { describe, expect, it } from '@jest/globals'
import { eventually } from '../support/world.ts'
import { faultsOfAccess } from './support/axe.ts'
import { signIn, signInAsOperator } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) => tenant.putTable('orders'))
const { button, heading } = under
const palette = () => under.page.getByRole('dialog', { name: 'Search' })
const input = () => palette().getByRole('combobox', { name: 'Search' })
const entry = (name: string | RegExp) => palette().getByRole('option', { name })

async function open(width = 1440): Promise<void> {
  await under.page.setViewportSize({ width, height: 800 })
  await signIn(under.page, under.tenant)
  await heading('Overview').waitFor()
}

/** Opens the palette by its keys, and types. */
async function find(text: string): Promise<void> {
  await under.page.keyboard.press('Control+k')
  await input().fill(text)
}

describe.each([1440, 390])('at %i px', (width) => {
  it('goes to a page, a webhook by name, key and URL, a table, a delivery and an event', async () => {
    const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
    const { id } = await under.tenant.subscribe(url, { name: 'Invoices of ACME', key: 'billing' })
    await under.tenant.insert()
    const [delivery] = await eventually(
      () => under.tenant.deliveries(id),
      (all) => all.length === 1,
    )
    const { id: deliveryId, eventId } = delivery ?? { id: '', eventId: '' }
    await open(width)

    await button('Search').click()
    await input().and(under.page.locator(':focus')).waitFor()
    await input().fill('deliv')
    expect(await faultsOfAccess(under.page)).toEqual([])
    await entry('Deliveries').click()
    await heading('Deliveries').waitFor()
    await eventually(
      () => under.page.locator('h1:focus').count(),
      (focused) => focused === 1,
    )

    for (const text of ['invoices of', 'BILLING', `/${under.tenant.projectId}`]) {
      await find(text)
      await entry(/Invoices of ACME/).waitFor()
      await under.page.keyboard.press('Enter')
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
    expect(under.page.url()).toContain(`/events/${eventId}`)
    expect(under.faults).toEqual([])
  })
})

it('works with the keyboard alone, and gives the focus back', async () => {
  await open()
  await under.page.keyboard.press('Control+k')
  const active = () => input().getAttribute('aria-activedescendant')
  await entry('Overview').waitFor()
  const first = await active()
  await under.page.keyboard.press('ArrowDown')
  await eventually(active, (id) => id !== null && id !== first)
  expect(await under.page.locator(`[id="${await active()}"]`).innerText()).toBe('Webhooks')
  await under.page.keyboard.press('ArrowUp')
  await eventually(active, (id) => id === first)
  for (let n = 0; n < 4; n++) await under.page.keyboard.press('Tab')
  // Behind the last control, the focus goes on to the first one a moment later.
  await palette().locator(':focus').waitFor()
  await under.page.keyboard.press('Escape')
  await palette().waitFor({ state: 'detached' })

  // The keys close it too, and the element that had the focus gets it again.
  await button('Search').focus()
  await find('nothing has this name')
  await palette().getByText('Nothing matches').waitFor()
  await under.page.keyboard.press('Control+k')
  await palette().waitFor({ state: 'detached' })
  await button('Search').and(under.page.locator(':focus')).waitFor()
  expect(under.faults).toEqual([])
})

it('asks the API for a few webhooks only, and never shows an answer to an older query', async () => {
  const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
  for (let n = 0; n < 9; n++) await under.tenant.subscribe(url, { name: `First ${n}` })
  await under.tenant.subscribe(url, { name: 'Second' })
  await open()
  const asked: URLSearchParams[] = []
  const old = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await under.page.route('**/_webhooks?*search=*', async (route) => {
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
  await under.page.waitForLoadState('networkidle')
  expect(await entry(/^First/).count()).toBe(0)
  expect(await entry(/^Second/).count()).toBe(1)

  await input().fill('FIRST')
  await palette().getByText('The first 8 are shown').waitFor()
  expect(await entry(/^First/).count()).toBe(8)
  expect(asked.map((one) => one.get('limit'))).toEqual(['8', '8', '8'])
  expect(under.faults).toEqual([])
})

it('says that the search failed, and shows what it knows itself', async () => {
  await open()
  await under.page.route('**/_webhooks?*search=*', (route) =>
    route.fulfill({ status: 400, json: { error: 'VALIDATION_ERROR', message: 'Broken' } }),
  )
  await find('webhooks')
  await palette().getByText('Broken').waitFor()
  await entry('Webhooks').click()
  await heading('Webhooks').waitFor()
})

it('finds a project for the operator, and keeps the kind of page', async () => {
  await signInAsOperator(under.page, under.console.world.system.adminToken)
  await find(under.tenant.projectId.toUpperCase())
  await entry(`${under.tenant.projectId} / master`).click()
  await heading(`${under.tenant.projectId} / master`).waitFor()
  const other = await under.console.world.tenant()
  await find(under.tenant.projectId)
  await entry(`${under.tenant.projectId} Management tokens`).click()
  await heading(/^Management tokens of/).waitFor()
  await find(other.projectId)
  await entry(`${other.projectId} Management tokens`).waitFor()
  await under.page.keyboard.press('Enter')
  await heading(`Management tokens of ${other.projectId}`).waitFor()
  expect(under.faults).toEqual([])
})
