import { expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import { signIn } from './support/console-world.ts'
import { hostile } from './support/hostile.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) => tenant.putTable('orders'))
const { button, heading, goTo } = under
const events = () => under.page.getByRole('region', { name: 'Events' })
const row = (text: string) => events().getByRole('row').filter({ hasText: text })
const widthOf = (width: number) => under.page.setViewportSize({ width, height: 800 })
const isWithinPage = () =>
  under.page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')

it.each([1440, 390])(
  'shows events as they commit, and how many webhooks got each, at %i px',
  async (width) => {
    const path = `/${under.tenant.projectId}`
    const sold = { filter: { note: 'sold' } }
    const { id } = await under.tenant.subscribe(under.console.world.receiver.url(path), sold)
    await signIn(under.page, under.tenant, { stay: true })
    await widthOf(width)
    await goTo('events')
    await under.page.getByText('The list is live').waitFor()
    await under.page.getByText('No event in the last 7 days').waitFor()

    const matched = await under.tenant.insert({ note: 'sold' })
    const delivered = row(matched['id']).filter({ hasText: '1 delivered' })
    await delivered.filter({ hasText: '1 webhook' }).waitFor()
    const unmatched = await under.tenant.insert({ note: 'offered' })
    await row(unmatched['id']).filter({ hasText: 'No webhook.' }).waitFor()
    // The event of the table `_webhooks` that the webhook was made is hidden.
    expect(await events().getByText('_webhooks').count()).toBe(0)
    expect(await events().getByRole('row').count()).toBe(3)
    expect(await isWithinPage()).toBe(true)

    await button('Pause').click()
    const { id: late } = await under.tenant.insert({ note: 'late' })
    await under.page.getByText('1 event came since.').waitFor()
    expect(await row(late).count()).toBe(0)
    await button('Resume').click()
    await row(late).waitFor()

    await under.page.getByLabel('Operation').selectOption('UPDATE')
    await under.page.getByText('No event of the last 7 days matches').waitFor()
    expectStatus(200, await under.tenant.rest(`PATCH orders/${late}`, { note: 'later' }))
    await row('UPDATE').waitFor()
    await under.page.reload()
    await row('UPDATE').waitFor()
    expect(await events().getByRole('row').count()).toBe(2)
    expect(await under.page.getByLabel('Operation').inputValue()).toBe('UPDATE')
    await under.page.getByLabel('Operation').selectOption('')
    await under.page.getByRole('switch', { name: 'Reserved tables' }).click()
    await row('_webhooks').waitFor()
    expect(under.page.url()).toContain('reserved=on')

    await row(unmatched['id']).getByRole('link', { name: /^Why/ }).click()
    await heading('Event').waitFor()
    await under.page.getByText('The record did not match filter.note').waitFor()
    await under.page.getByText(id).or(under.page.getByText(path)).first().waitFor()
    expect(under.faults).toEqual([])
  },
)

it.each([1440, 390])('shows a record and what changed in it readably, at %i px', async (width) => {
  await signIn(under.page, under.tenant, { stay: true })
  await widthOf(width)
  await goTo('stream')
  await under.page.getByText('No change yet').waitFor()
  expect(await button(/^Start|^Apply/).count()).toBe(0)
  await under.tenant.subscribe(under.console.world.receiver.url(`/${under.tenant.projectId}`))
  const { id } = await under.tenant.insert({ note: 'first', n: 7 })
  expectStatus(200, await under.tenant.rest(`PATCH orders/${id}`, { note: 'second' }))
  // A text is found in any case, and so in `updatedAt` too.
  const update = under.page.getByRole('cell', { name: 'UPDATE', exact: true })
  const change = under.page.getByRole('row').filter({ has: update })
  const note = change.locator('dl > div').filter({ hasText: 'note' })
  await note.getByText('second').waitFor()
  await note.getByText('Changed').waitFor()
  expect(await change.getByText('Changed').count()).toBe(1)
  expect(await change.getByText('{').count()).toBe(0)
  await change.getByRole('button', { name: 'JSON' }).click()
  await change.getByText('"second"').waitFor()
  expect(await under.page.getByRole('cell', { name: '_webhooks', exact: true }).count()).toBe(0)
  expect(await isWithinPage()).toBe(true)

  await change.getByRole('link').first().click()
  await heading('Event').waitFor()
  const fields = under.page.locator('dl > div')
  await fields.filter({ hasText: 'note' }).getByText('first').waitFor()
  await fields.filter({ hasText: 'note' }).getByText('second').waitFor()
  const unchanged = fields.filter({ has: under.page.getByText('n', { exact: true }) })
  await unchanged.getByText('7', { exact: true }).waitFor()
  await unchanged.getByText('unchanged').waitFor()

  await goTo(`tables/orders/records/${id}`)
  await under.page
    .getByRole('row')
    .filter({ hasText: 'UPDATE' })
    .getByText('Changed')
    .first()
    .waitFor()
  expect(await isWithinPage()).toBe(true)

  await goTo('stream')
  await under.page.getByText('No change yet').waitFor()
  await under.page.getByRole('switch', { name: 'Reserved tables' }).click()
  await under.page.getByLabel('From').selectOption('1h')
  await button('Apply the filters').click()
  await under.page.getByRole('cell', { name: '_webhooks', exact: true }).first().waitFor()
  expect(await button(/^Start|^Apply/).count()).toBe(0)
  expect(under.faults).toEqual([])
})

it('starts again after a refusal', async () => {
  await signIn(under.page, under.tenant, { stay: true })
  const stream = /\/_stream/
  await under.page.route(stream, (route) => route.fulfill({ status: 400, json: {} }))
  await goTo('stream')
  await under.page.getByRole('alert').waitFor()
  await under.page.unroute(stream)
  await button('Start').click()
  await under.page.getByText('No change yet').waitFor()
  expect(await button('Start').count()).toBe(0)
})

it('names the right that a token lacks', async () => {
  const limits = { name: 'records only', rights: ['records'] }
  const { token } = await createToken(under.console.world.system, under.tenant.projectId, limits)
  const { projectId, environment } = under.tenant
  await signIn(under.page, { projectId, environment, token } as Tenant, { stay: true })
  await goTo('events')
  await under.page.getByText('Your token lacks the right “webhooks”').waitFor()
})

it('runs no text of a record, a field or an id', async () => {
  const changes = hostile.map((text, n) => ({
    ...{ table: 'shipments', event: 'UPDATE', recordId: text, changedFields: [text] },
    record: { [text]: hostile, id: hostile[(n + 1) % hostile.length] },
  }))
  await signIn(under.page, under.tenant, { stay: true })
  await goTo('stream')
  await under.page.getByText('No change yet').waitFor()
  expectStatus(202, await under.tenant.rest('POST _changes', changes))
  await under.page
    .getByRole('row')
    .filter({ hasText: 'shipments' })
    .nth(hostile.length - 1)
    .waitFor()
  await goTo('events')
  await row('shipments')
    .nth(hostile.length - 1)
    .waitFor()
  await row('shipments').first().getByRole('link').first().click()
  await under.page.getByText('Changed', { exact: true }).first().waitFor()
  expect(await under.page.evaluate('window.hacked')).toBeUndefined()
  expect(under.faults).toEqual([])
})
