import { expect, it } from '@jest/globals'
import type { listEvents } from '@surehook/contracts/http/webhooks/event-list'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus } from '@surehook/scripts/client/call'
import { eventually } from '../support/world.ts'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const columns = [
  { name: 'customer', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'total', type: 'integer' },
]

const under = useConsole(async (tenant) => {
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
})
const { button, link, heading, rows, choose, inDialog } = under

async function fillWebhook(url: string): Promise<void> {
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await under.page.getByLabel('Table').fill('orders')
  await under.page.getByLabel('URL').fill(url)
}

const condition = (number: number) => under.page.getByRole('group', { name: `Condition ${number}` })
const column = (number: number) => condition(number).getByRole('combobox', { name: 'Column' })
const value = (number: number) => condition(number).getByRole('textbox', { name: 'Value' })
const filterText = () => under.page.getByRole('textbox', { name: 'Filter' })
const view = (name: 'Form' | 'JSON') => under.page.getByRole('radio', { name })

it('creates a webhook with a preview, and shows what it delivers, retries and explains', async () => {
  const { receiver } = under.console.world
  const url = receiver.url(`/${under.tenant.projectId}`)
  await under.tenant.insert({ customer: 'Ada', status: 'new' })
  await under.tenant.insert({ customer: 'Grace', status: 'paid' })
  await signIn(under.page, under.tenant)

  await fillWebhook(url)
  await under.page.getByText('2 of the newest 2 changes match').waitFor()
  await button('Add a condition').click()
  await column(1).selectOption('status')
  await value(1).fill('paid')
  await under.page.getByText('1 of the newest 2 changes match').waitFor()
  await button('Create the webhook').click()
  await heading(url).waitFor()

  await under.tenant.insert({ customer: 'Ada', status: 'paid' })
  await receiver.waitFor(`/${under.tenant.projectId}`, 1)
  await under.page.getByText('HTTP 204').waitFor()

  receiver.answer(`/${under.tenant.projectId}`, () => ({ status: 500, body: 'out of order' }))
  await under.tenant.insert({ customer: 'Grace', status: 'paid' })
  await link('Deliveries').click()
  await under.page.getByLabel('Status', { exact: true }).selectOption('dead_letter')
  await under.page.waitForURL(/status=dead_letter/)
  await expectRow('Dead letter')
  await heading('Deliveries').focus()
  await under.page.keyboard.press('k')
  await under.page.locator('[data-row-link]:focus').waitFor()
  await under.page.keyboard.press('?')
  const keys = under.page.getByRole('dialog', { name: 'Keys' })
  await keys.waitFor()
  await under.page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  await heading('Deliveries').focus()
  await under.page.keyboard.press('j')
  await under.page.keyboard.press('Enter')
  await heading('Delivery').waitFor()
  // The answer to the last attempt is open, and each attempt failed.
  const open = under.page.locator('.timeline details[open]')
  await open.getByText('out of order').waitFor()
  expect(await open.count()).toBe(1)
  expect(await under.page.locator('.timeline').innerText()).not.toContain('Retrying')

  receiver.answer(`/${under.tenant.projectId}`, () => ({ status: 204 }))
  await button('Redeliver').click()
  await inDialog('Redeliver').click()
  await under.page.getByText('Sent again, as a new delivery').first().waitFor()
  await under.page.getByText('HTTP 204').waitFor()

  await link('Deliveries').first().click()
  await under.page.getByLabel('Status', { exact: true }).selectOption('dead_letter')
  await button('Redeliver these').click()
  await under.page.getByText('1 delivery matches. This sends them all.').waitFor()
  await inDialog('Redeliver these').click()
  await under.page.getByText('1 delivery was sent again.').waitFor()
  await button('Close').click()

  const unmatched = await under.tenant.insert({ customer: 'Alan', status: 'new' })
  await explain(await eventOf(unmatched.id))
  await under.page.getByText('Not delivered').waitFor()
  expect(under.faults).toEqual([])
})

/** The list stands still while it is read. A newer row waits behind a button. */
async function expectRow(status: string): Promise<void> {
  const shown = under.page.getByRole('cell', { name: status }).first()
  const newer = button(/newer/)
  await shown.or(newer).first().waitFor()
  if (await newer.isVisible()) await newer.click()
  await shown.waitFor()
}

/** The event of a record that nothing delivered. */
async function eventOf(recordId: string): Promise<string> {
  const read = async () => {
    const { body } = expectStatus(200, await under.tenant.rest<Events>('GET _events?table=orders'))
    return body.events.find((event) => event.recordId === recordId)?.eventId ?? ''
  }
  return eventually(read, (found) => found !== '')
}

type Events = ReplyOf<typeof listEvents>

async function explain(eventId: string): Promise<void> {
  await link('Events').click()
  // The list of deliveries, which may still be shown, also has a field for an event id.
  await heading('Events').waitFor()
  await under.page.getByLabel('Event id').fill(eventId)
  await button('Explain the event').click()
  await heading('Event').waitFor()
}

it('shows violations at their fields, and writes nothing', async () => {
  await signIn(under.page, under.tenant)
  await fillWebhook('http://plain.example.com/')
  await view('JSON').check()
  await filterText().fill('{ "status": { "near": 1 } }')
  await under.page.getByText('Line 1: status.near unknown operator').waitFor()
  await under.page.getByText('“status.near” is an operator that the form does not know.').waitFor()
  expect(await view('Form').isDisabled()).toBe(true)
  await filterText().fill('')
  await button('Create the webhook').click()
  await expectInvalid('URL')
  expect(expectStatus(200, await under.tenant.webhooks('GET')).body).toMatchObject({ webhooks: [] })
})

it('builds a filter by keyboard, names what is wrong with a condition, and saves it', async () => {
  const { id } = await under.tenant.subscribe(under.console.world.receiver.url('/calm'), {
    filter: { status: { in: ['paid'] } },
  })
  await under.tenant.insert({ customer: 'Ada', status: 'paid', total: 7 })
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link(/\/calm/).click()
  await link('Edit').click()
  await condition(1).getByRole('textbox', { name: 'Next value' }).fill('new')
  await under.page.keyboard.press('Enter')
  await button('Add a group').focus()
  await under.page.keyboard.press('Enter')
  const group = under.page.getByRole('group', { name: 'Group: Any of' })
  const inGroup = group.getByRole('group', { name: 'Condition 1' })
  await inGroup.locator('select:focus').selectOption('total')
  await inGroup.getByLabel('Operator').selectOption('gte')
  await inGroup.getByRole('textbox', { name: 'Value' }).fill('much')
  await inGroup.getByText('must be a whole number of 32 bits').waitFor()
  await view('JSON').check()
  await under.page.getByText('Line 11: or.0.total.gte must be a whole number of 32 bits').waitFor()
  await view('Form').check()
  await inGroup.getByRole('textbox', { name: 'Value' }).fill('7')
  await under.page.getByText('1 of the newest 1 change match').waitFor()
  await button('Save the webhook').click()
  await under.page.getByText('Webhook saved').first().waitFor()
  const { body } = expectStatus(200, await under.tenant.webhooks(`GET /${id}`))
  const filter = { status: { in: ['paid', 'new'] }, or: [{ total: { gte: 7 } }] }
  expect(body).toMatchObject({ webhook: { filter } })
  expect(under.faults).toEqual([])
})

it('keeps the focus when the columns arrive', async () => {
  const arrive = Promise.withResolvers<void>()
  await under.page.route('**/_tables', async (route) => {
    await arrive.promise
    await route.continue()
  })
  await signIn(under.page, under.tenant)
  await fillWebhook('https://example.com/')
  await button('Add a condition').focus()
  await under.page.keyboard.press('Enter')
  await condition(1).locator('input:focus').fill('to')
  arrive.resolve()
  await condition(1).locator('select:focus').selectOption('total')
  expect(under.faults).toEqual([])
})

async function expectInvalid(label: string): Promise<void> {
  await under.page.locator('input[aria-invalid="true"]').first().waitFor()
  expect(await under.page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
}

it('rotates a secret, deactivates and deletes', async () => {
  const { id } = await under.tenant.subscribe(under.console.world.receiver.url('/calm'))
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link(/\/calm/).click()
  await choose('Rotate the secret')
  await inDialog('Rotate the secret').click()
  const overlap = /The old secret also signs, for another 2[34]:/
  await under.page.getByRole('dialog').getByText(overlap).waitFor()
  await button('Close').click()
  await under.page.getByRole('dialog').waitFor({ state: 'detached' })
  await under.page.getByText(overlap).waitFor()
  await choose('Deactivate')
  await under.page.getByText('This webhook is inactive').waitFor()
  await choose('Delete')
  await under.page.getByText('No delivery waits for an attempt.').waitFor()
  await button('Delete the webhook').click()
  await under.page.getByText('No webhooks yet').waitFor()
  expect((await under.tenant.webhooks(`GET /${id}`)).status).toBe(404)
  expect(under.faults).toEqual([])
})

it('shows every planned attempt, and what the change did', async () => {
  const { receiver } = under.console.world
  const path = `/${under.tenant.projectId}`
  receiver.answer(path, () => ({ status: 503 }))
  const { id } = await under.tenant.insert({ customer: 'Ada', status: 'new' })
  await under.tenant.subscribe(receiver.url(path), {
    events: ['UPDATE'],
    policy: { retryDelays: ['30m', '2h'] },
  })
  expectStatus(200, await under.tenant.rest(`PATCH orders/${id}`, { status: 'paid' }))
  await receiver.waitFor(path, 1)
  await signIn(under.page, under.tenant)
  await link('Deliveries').click()
  await under.page.getByRole('cell', { name: 'Retrying' }).waitFor()
  await rows().first().click()
  await under.page
    .getByText(/^in (29|3[0-3]):\d\d$/)
    .first()
    .waitFor()
  await under.page.getByText('2h after attempt 2, if it fails').waitFor()
  await under.page.getByText('If attempt 3 fails, the delivery is a dead letter.').waitFor()

  await under.page.locator('a[href*="/events/"]').first().click()
  await heading('Event').waitFor()
  await under.page.getByText(/The previous values come from/).waitFor()
  const status = under.page
    .locator('dl > div')
    .filter({ has: under.page.getByText('status', { exact: true }) })
  await status.getByText('Changed').waitFor()
  expect(await status.locator('del').innerText()).toBe('new')
  await status.getByText('paid', { exact: true }).waitFor()
  await link('the previous change').click()
  await under.page.getByRole('heading', { name: 'The record after the change' }).waitFor()
  await status.getByText('new', { exact: true }).waitFor()
  expect(under.faults).toEqual([])
})

it('counts all webhooks with one request, and pages through more than 200', async () => {
  const { receiver } = under.console.world
  const subscribe = async (n: number) =>
    under.tenant.subscribe(receiver.url(`/${under.tenant.projectId}/${n}`))
  await subscribe(0)
  for (let made = 1; made <= 200; made += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, n) => subscribe(made + n)))
  }
  const asked: string[] = []
  under.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await signIn(under.page, under.tenant)
  await under.page.getByText('Nothing was sent in the last 24 hours').waitFor()
  // One request for each 200 webhooks, and none for a single one.
  const ofStats = asked.filter((pathname) => pathname.endsWith('/stats'))
  expect(new Set(ofStats)).toEqual(new Set(['/gw/api/rest/_webhooks/stats']))
  expect(ofStats.length).toBeLessThanOrEqual(2)
  await link('Webhooks').click()
  const listed = under.page.getByRole('region', { name: 'Webhooks' }).getByRole('row')
  await link('Next page').click()
  await under.page.getByText(/\/0$/).waitFor()
  expect(await listed.count()).toBe(2)
  await link('First page').click()
  await link('Next page').waitFor()
  expect(await listed.count()).toBe(201)
  expect(under.faults).toEqual([])
})
