import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { type ConsoleWorld, openConsole, signIn } from './support/console-world.ts'
import { hostile } from './support/hostile.ts'
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

const { button, heading } = onPage(() => page)
const goTo = (path: string) => page.goto(`${console.world.system.baseUrl}/console/${path}`)
const events = () => page.getByRole('region', { name: 'Events' })
const row = (text: string) => events().getByRole('row').filter({ hasText: text })
const widthOf = (width: number) => page.setViewportSize({ width, height: 800 })
const isWithinPage = () =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')

it.each([1440, 390])(
  'shows events as they commit, and how many webhooks got each, at %i px',
  async (width) => {
    const path = `/${tenant.projectId}`
    const sold = { filter: { note: 'sold' } }
    const { id } = await tenant.subscribe(console.world.receiver.url(path), sold)
    await signIn(page, tenant, { stay: true })
    await widthOf(width)
    await goTo('events')
    await page.getByText('The list is live').waitFor()
    await page.getByText('No event in the last 7 days').waitFor()

    const matched = await tenant.insert({ note: 'sold' })
    const delivered = row(matched['id']).filter({ hasText: '1 delivered' })
    await delivered.filter({ hasText: '1 webhook' }).waitFor()
    const unmatched = await tenant.insert({ note: 'offered' })
    await row(unmatched['id']).filter({ hasText: 'No webhook.' }).waitFor()
    // The event of the table `_webhooks` that the webhook was made is hidden.
    expect(await events().getByText('_webhooks').count()).toBe(0)
    expect(await events().getByRole('row').count()).toBe(3)
    expect(await isWithinPage()).toBe(true)

    await button('Pause').click()
    const { id: late } = await tenant.insert({ note: 'late' })
    await page.getByText('1 event came since.').waitFor()
    expect(await row(late).count()).toBe(0)
    await button('Resume').click()
    await row(late).waitFor()

    await page.getByLabel('Operation').selectOption('UPDATE')
    await page.getByText('No event of the last 7 days matches').waitFor()
    expectStatus(200, await tenant.rest(`PATCH orders/${late}`, { note: 'later' }))
    await row('UPDATE').waitFor()
    await page.reload()
    await row('UPDATE').waitFor()
    expect(await events().getByRole('row').count()).toBe(2)
    expect(await page.getByLabel('Operation').inputValue()).toBe('UPDATE')
    await page.getByLabel('Operation').selectOption('')
    await page.getByRole('switch', { name: 'Reserved tables' }).click()
    await row('_webhooks').waitFor()
    expect(page.url()).toContain('reserved=on')

    await row(unmatched['id']).getByRole('link', { name: /^Why/ }).click()
    await heading('Event').waitFor()
    await page.getByText('The record did not match filter.note').waitFor()
    await page.getByText(id).or(page.getByText(path)).first().waitFor()
    expect(faults).toEqual([])
  },
)

it.each([1440, 390])('shows a record and what changed in it readably, at %i px', async (width) => {
  await signIn(page, tenant, { stay: true })
  await widthOf(width)
  await goTo('stream')
  await page.getByText('No change yet').waitFor()
  expect(await button(/^Start|^Apply/).count()).toBe(0)
  await tenant.subscribe(console.world.receiver.url(`/${tenant.projectId}`))
  const { id } = await tenant.insert({ note: 'first', n: 7 })
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { note: 'second' }))
  // A text is found in any case, and so in `updatedAt` too.
  const update = page.getByRole('cell', { name: 'UPDATE', exact: true })
  const change = page.getByRole('row').filter({ has: update })
  const note = change.locator('dl > div').filter({ hasText: 'note' })
  await note.getByText('second').waitFor()
  await note.getByText('Changed').waitFor()
  expect(await change.getByText('Changed').count()).toBe(1)
  expect(await change.getByText('{').count()).toBe(0)
  await change.getByRole('button', { name: 'JSON' }).click()
  await change.getByText('"second"').waitFor()
  expect(await page.getByRole('cell', { name: '_webhooks', exact: true }).count()).toBe(0)
  expect(await isWithinPage()).toBe(true)

  await change.getByRole('link').first().click()
  await heading('Event').waitFor()
  const fields = page.locator('dl > div')
  await fields.filter({ hasText: 'note' }).getByText('first').waitFor()
  await fields.filter({ hasText: 'note' }).getByText('second').waitFor()
  const unchanged = fields.filter({ has: page.getByText('n', { exact: true }) })
  await unchanged.getByText('7', { exact: true }).waitFor()
  await unchanged.getByText('unchanged').waitFor()

  await goTo(`tables/orders/records/${id}`)
  await page.getByRole('row').filter({ hasText: 'UPDATE' }).getByText('Changed').first().waitFor()
  expect(await isWithinPage()).toBe(true)

  await goTo('stream')
  await page.getByText('No change yet').waitFor()
  await page.getByRole('switch', { name: 'Reserved tables' }).click()
  await page.getByLabel('From').selectOption('1h')
  await button('Apply the filters').click()
  await page.getByRole('cell', { name: '_webhooks', exact: true }).first().waitFor()
  expect(await button(/^Start|^Apply/).count()).toBe(0)
  expect(faults).toEqual([])
})

it('starts again after a refusal', async () => {
  await signIn(page, tenant, { stay: true })
  const stream = /\/_stream/
  await page.route(stream, (route) => route.fulfill({ status: 400, json: {} }))
  await goTo('stream')
  await page.getByRole('alert').waitFor()
  await page.unroute(stream)
  await button('Start').click()
  await page.getByText('No change yet').waitFor()
  expect(await button('Start').count()).toBe(0)
})

it('names the right that a token lacks', async () => {
  const limits = { name: 'records only', rights: ['records'] }
  const { token } = await createToken(console.world.system, tenant.projectId, limits)
  const { projectId, environment } = tenant
  await signIn(page, { projectId, environment, token } as Tenant, { stay: true })
  await goTo('events')
  await page.getByText('Your token lacks the right “webhooks”').waitFor()
})

it('runs no text of a record, a field or an id', async () => {
  const changes = hostile.map((text, n) => ({
    ...{ table: 'shipments', event: 'UPDATE', recordId: text, changedFields: [text] },
    record: { [text]: hostile, id: hostile[(n + 1) % hostile.length] },
  }))
  await signIn(page, tenant, { stay: true })
  await goTo('stream')
  await page.getByText('No change yet').waitFor()
  expectStatus(202, await tenant.rest('POST _changes', changes))
  await page
    .getByRole('row')
    .filter({ hasText: 'shipments' })
    .nth(hostile.length - 1)
    .waitFor()
  await goTo('events')
  await row('shipments')
    .nth(hostile.length - 1)
    .waitFor()
  await row('shipments').first().getByRole('link').first().click()
  await page.getByText('Changed', { exact: true }).first().waitFor()
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(faults).toEqual([])
})
