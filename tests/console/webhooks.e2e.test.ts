import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { listEvents } from '@surehook/contracts/http/webhooks/event-list'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
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

const columns = [
  { name: 'customer', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'total', type: 'integer' },
]

beforeAll(async () => {
  console = opened.use(await openConsole(openSharedWorld))
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await console.world.tenant()
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
  ;({ page, faults } = await console.open())
})

const { button, link, heading, rows, choose, inDialog } = onPage(() => page)

async function fillWebhook(url: string): Promise<void> {
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await page.getByLabel('Table').fill('orders')
  await page.getByLabel('URL').fill(url)
}

const condition = (number: number) => page.getByRole('group', { name: `Condition ${number}` })
const column = (number: number) => condition(number).getByRole('combobox', { name: 'Column' })
const value = (number: number) => condition(number).getByRole('textbox', { name: 'Value' })
const filterText = () => page.getByRole('textbox', { name: 'Filter' })
const view = (name: 'Form' | 'JSON') => page.getByRole('radio', { name })

it('creates a webhook with a preview, and shows what it delivers, retries and explains', async () => {
  const { receiver } = console.world
  const url = receiver.url(`/${tenant.projectId}`)
  await tenant.insert({ customer: 'Ada', status: 'new' })
  await tenant.insert({ customer: 'Grace', status: 'paid' })
  await signIn(page, tenant)

  await fillWebhook(url)
  await page.getByText('2 of the newest 2 changes match').waitFor()
  await button('Add a condition').click()
  await column(1).selectOption('status')
  await value(1).fill('paid')
  await page.getByText('1 of the newest 2 changes match').waitFor()
  await button('Create the webhook').click()
  await heading(url).waitFor()

  await tenant.insert({ customer: 'Ada', status: 'paid' })
  await receiver.waitFor(`/${tenant.projectId}`, 1)
  await page.getByText('HTTP 204').waitFor()

  receiver.answer(`/${tenant.projectId}`, () => ({ status: 500, body: 'out of order' }))
  await tenant.insert({ customer: 'Grace', status: 'paid' })
  await link('Deliveries').click()
  await page.getByLabel('Status', { exact: true }).selectOption('dead_letter')
  await page.waitForURL(/status=dead_letter/)
  await expectRow('Dead letter')
  await heading('Deliveries').focus()
  await page.keyboard.press('k')
  await page.locator('[data-row-link]:focus').waitFor()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await keys.waitFor()
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  await heading('Deliveries').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await heading('Delivery').waitFor()
  // The answer to the last attempt is open, and each attempt failed.
  const open = page.locator('.timeline details[open]')
  await open.getByText('out of order').waitFor()
  expect(await open.count()).toBe(1)
  expect(await page.locator('.timeline').innerText()).not.toContain('Retrying')

  receiver.answer(`/${tenant.projectId}`, () => ({ status: 204 }))
  await button('Redeliver').click()
  await inDialog('Redeliver').click()
  await page.getByText('Sent again, as a new delivery').first().waitFor()
  await page.getByText('HTTP 204').waitFor()

  await link('Deliveries').first().click()
  await page.getByLabel('Status', { exact: true }).selectOption('dead_letter')
  await button('Redeliver these').click()
  await page.getByText('1 delivery matches. This sends them all.').waitFor()
  await inDialog('Redeliver these').click()
  await page.getByText('1 delivery was sent again.').waitFor()
  await button('Close').click()

  const unmatched = await tenant.insert({ customer: 'Alan', status: 'new' })
  await explain(await eventOf(unmatched.id))
  await page.getByText('Not delivered').waitFor()
  expect(faults).toEqual([])
})

/** The list stands still while it is read. A newer row waits behind a button. */
async function expectRow(status: string): Promise<void> {
  const shown = page.getByRole('cell', { name: status }).first()
  const newer = button(/newer/)
  await shown.or(newer).first().waitFor()
  if (await newer.isVisible()) await newer.click()
  await shown.waitFor()
}

/** The event of a record that nothing delivered. */
async function eventOf(recordId: string): Promise<string> {
  const read = async () => {
    const { body } = expectStatus(200, await tenant.rest<Events>('GET _events?table=orders'))
    return body.events.find((event) => event.recordId === recordId)?.eventId ?? ''
  }
  return eventually(read, (found) => found !== '')
}

type Events = ReplyOf<typeof listEvents>

async function explain(eventId: string): Promise<void> {
  await link('Events').click()
  // The list of deliveries, which may still be shown, also has a field for an event id.
  await heading('Events').waitFor()
  await page.getByLabel('Event id').fill(eventId)
  await button('Explain the event').click()
  await heading('Event').waitFor()
}

it('shows violations at their fields, and writes nothing', async () => {
  await signIn(page, tenant)
  await fillWebhook('http://plain.example.com/')
  await view('JSON').check()
  await filterText().fill('{ "status": { "near": 1 } }')
  await page.getByText('Line 1: status.near unknown operator').waitFor()
  await page.getByText('“status.near” is an operator that the form does not know.').waitFor()
  expect(await view('Form').isDisabled()).toBe(true)
  await filterText().fill('')
  await button('Create the webhook').click()
  await expectInvalid('URL')
  expect(expectStatus(200, await tenant.webhooks('GET')).body).toMatchObject({ webhooks: [] })
})

it('builds a filter by keyboard, names what is wrong with a condition, and saves it', async () => {
  const { id } = await tenant.subscribe(console.world.receiver.url('/calm'), {
    filter: { status: { in: ['paid'] } },
  })
  await tenant.insert({ customer: 'Ada', status: 'paid', total: 7 })
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link(/\/calm/).click()
  await link('Edit').click()
  await condition(1).getByRole('textbox', { name: 'Next value' }).fill('new')
  await page.keyboard.press('Enter')
  await button('Add a group').focus()
  await page.keyboard.press('Enter')
  const group = page.getByRole('group', { name: 'Group: Any of' })
  const inGroup = group.getByRole('group', { name: 'Condition 1' })
  await inGroup.locator('select:focus').selectOption('total')
  await inGroup.getByLabel('Operator').selectOption('gte')
  await inGroup.getByRole('textbox', { name: 'Value' }).fill('much')
  await inGroup.getByText('must be a whole number of 32 bits').waitFor()
  await view('JSON').check()
  await page.getByText('Line 11: or.0.total.gte must be a whole number of 32 bits').waitFor()
  await view('Form').check()
  await inGroup.getByRole('textbox', { name: 'Value' }).fill('7')
  await page.getByText('1 of the newest 1 change match').waitFor()
  await button('Save the webhook').click()
  await page.getByText('Webhook saved').first().waitFor()
  const { body } = expectStatus(200, await tenant.webhooks(`GET /${id}`))
  const filter = { status: { in: ['paid', 'new'] }, or: [{ total: { gte: 7 } }] }
  expect(body).toMatchObject({ webhook: { filter } })
  expect(faults).toEqual([])
})

it('keeps the focus when the columns arrive', async () => {
  const arrive = Promise.withResolvers<void>()
  await page.route('**/_tables', async (route) => {
    await arrive.promise
    await route.continue()
  })
  await signIn(page, tenant)
  await fillWebhook('https://example.com/')
  await button('Add a condition').focus()
  await page.keyboard.press('Enter')
  await condition(1).locator('input:focus').fill('to')
  arrive.resolve()
  await condition(1).locator('select:focus').selectOption('total')
  expect(faults).toEqual([])
})

async function expectInvalid(label: string): Promise<void> {
  await page.locator('input[aria-invalid="true"]').first().waitFor()
  expect(await page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
}

it('rotates a secret, deactivates and deletes', async () => {
  const { id } = await tenant.subscribe(console.world.receiver.url('/calm'))
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link(/\/calm/).click()
  await choose('Rotate the secret')
  await inDialog('Rotate the secret').click()
  const overlap = /The old secret also signs, for another 2[34]:/
  await page.getByRole('dialog').getByText(overlap).waitFor()
  await button('Close').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText(overlap).waitFor()
  await choose('Deactivate')
  await page.getByText('This webhook is inactive').waitFor()
  await choose('Delete')
  await page.getByText('No delivery waits for an attempt.').waitFor()
  await button('Delete the webhook').click()
  await page.getByText('No webhooks yet').waitFor()
  expect((await tenant.webhooks(`GET /${id}`)).status).toBe(404)
  expect(faults).toEqual([])
})

it('shows every planned attempt, and what the change did', async () => {
  const { receiver } = console.world
  const path = `/${tenant.projectId}`
  receiver.answer(path, () => ({ status: 503 }))
  const { id } = await tenant.insert({ customer: 'Ada', status: 'new' })
  await tenant.subscribe(receiver.url(path), {
    events: ['UPDATE'],
    policy: { retryDelays: ['30m', '2h'] },
  })
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { status: 'paid' }))
  await receiver.waitFor(path, 1)
  await signIn(page, tenant)
  await link('Deliveries').click()
  await page.getByRole('cell', { name: 'Retrying' }).waitFor()
  await rows().first().click()
  await page
    .getByText(/^in (29|3[0-3]):\d\d$/)
    .first()
    .waitFor()
  await page.getByText('2h after attempt 2, if it fails').waitFor()
  await page.getByText('If attempt 3 fails, the delivery is a dead letter.').waitFor()

  await page.locator('a[href*="/events/"]').first().click()
  await heading('Event').waitFor()
  await page.getByText(/The previous values come from/).waitFor()
  const status = page.locator('dl > div').filter({ has: page.getByText('status', { exact: true }) })
  await status.getByText('Changed').waitFor()
  expect(await status.locator('del').innerText()).toBe('new')
  await status.getByText('paid', { exact: true }).waitFor()
  await link('the previous change').click()
  await page.getByRole('heading', { name: 'The record after the change' }).waitFor()
  await status.getByText('new', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

it('counts all webhooks with one request, and pages through more than 200', async () => {
  const { receiver } = console.world
  const subscribe = async (n: number) => tenant.subscribe(receiver.url(`/${tenant.projectId}/${n}`))
  await subscribe(0)
  for (let made = 1; made <= 200; made += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, n) => subscribe(made + n)))
  }
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await signIn(page, tenant)
  await page.getByText('Nothing was sent in the last 24 hours').waitFor()
  // One request for each 200 webhooks, and none for a single one.
  const ofStats = asked.filter((pathname) => pathname.endsWith('/stats'))
  expect(new Set(ofStats)).toEqual(new Set(['/gw/api/rest/_webhooks/stats']))
  expect(ofStats.length).toBeLessThanOrEqual(2)
  await link('Webhooks').click()
  const listed = page.getByRole('region', { name: 'Webhooks' }).getByRole('row')
  await link('Next page').click()
  await page.getByText(/\/0$/).waitFor()
  expect(await listed.count()).toBe(2)
  await link('First page').click()
  await link('Next page').waitFor()
  expect(await listed.count()).toBe(201)
  expect(faults).toEqual([])
})
