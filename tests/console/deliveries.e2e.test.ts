import { expect, it } from '@jest/globals'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/world.ts'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) => tenant.putTable('orders'))
const { button, link, heading, rows, inDialog } = under

/** Makes deliveries, and waits until the history has `total` that arrived. */
async function deliver(webhookId: string, total: number): Promise<void> {
  await under.tenant.insert({ note: 'new' })
  await eventually(
    () => under.tenant.deliveries(webhookId),
    (all) => all.filter(({ status }) => status === 'delivered').length === total,
  )
}

const is = (wanted: number) => (found: number) => found === wanted
const rowsAre = (count: number) => eventually(() => rows().count(), is(count))

it('follows new deliveries live, and moves nothing that is read', async () => {
  const { id } = await under.tenant.subscribe(
    under.console.world.receiver.url(`/${under.tenant.projectId}`),
  )
  await deliver(id, 1)
  await signIn(under.page, under.tenant)
  await link('Deliveries').click()
  await under.page.getByRole('switch', { name: 'Live' }).click()
  await under.page.getByText('The list is live').waitFor()
  await rowsAre(1)
  await deliver(id, 2)
  await rowsAre(2)

  await under.page.keyboard.press('j')
  const read = await rows().first().getAttribute('data-row-link')
  await under.page.getByText('The live list stands still while you read it.').waitFor()
  await deliver(id, 3)
  await button('1 newer').waitFor()
  expect(await rows().first().getAttribute('data-row-link')).toBe(read)
  await button('1 newer').click()
  await rowsAre(3)
  await under.page.getByText('The list is live').waitFor()

  await under.page.route('**/_deliveries?*', (route) => route.fulfill({ status: 400, json: {} }))
  await under.page.getByText('The live list tries again').waitFor()
  await rowsAre(3)
  await under.page.unroute('**/_deliveries?*')
  await under.page.getByText('The list is live').waitFor()
  expect(under.faults).toEqual([])
})

it('says which webhook, change and answer, on a phone too', async () => {
  const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
  const { id } = await under.tenant.subscribe(url)
  await deliver(id, 1)
  await signIn(under.page, under.tenant, { stay: true })
  const row = under.page.getByRole('row').filter({ hasText: 'HTTP 204' })
  const label = url.replace('https://', '')
  await link('Deliveries').click()
  for (const width of [1440, 360]) {
    await under.page.setViewportSize({ width, height: 800 })
    await row.getByText(label).waitFor()
    await row.getByText('INSERT orders').waitFor()
    await row.getByText('HTTP 204').waitFor()
    expect(await row.getByRole('cell').count()).toBe(7)
  }
  await under.page.setViewportSize({ width: 1440, height: 800 })
  expect(await under.page.locator('[data-is-cut]').count()).toBe(0)
  await row.getByRole('link', { name: label }).click()
  await heading(url).waitFor()
  await under.page
    .getByRole('region', { name: 'Latest deliveries' })
    .getByText('INSERT orders')
    .click()
  await heading('Delivery').waitFor()
  expect(under.faults).toEqual([])
})

/** Presses Tab until the control has the focus. */
async function tabTo(target: Locator): Promise<void> {
  const focused = target.and(under.page.locator(':focus'))
  for (let n = 0; n < 80 && (await focused.count()) === 0; n++)
    await under.page.keyboard.press('Tab')
  expect(await focused.count()).toBe(1)
}

it('needs no mouse', async () => {
  const { receiver } = under.console.world
  const path = `/${under.tenant.projectId}`
  const { id } = await under.tenant.subscribe(receiver.url(path))
  await deliver(id, 1)
  const { keyboard } = under.page
  await tabTo(under.page.getByLabel('Project'))
  await keyboard.type(under.tenant.projectId)
  await tabTo(under.page.getByLabel('Management token'))
  await keyboard.type(under.tenant.token)
  await keyboard.press('Enter')
  await heading('Overview').waitFor()

  await tabTo(under.page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }))
  await keyboard.press('Enter')
  await rows().first().waitFor()
  await keyboard.press('?')
  await under.page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await keyboard.press('Escape')
  await under.page.getByRole('dialog').waitFor({ state: 'detached' })
  await keyboard.press('j')
  await keyboard.press('r')
  await tabTo(inDialog('Redeliver'))
  await keyboard.press('Enter')
  await heading('Delivery').waitFor()
  await receiver.waitFor(path, 2)

  await tabTo(under.page.getByRole('main').getByRole('link', { name: 'Deliveries' }))
  await keyboard.press('Enter')
  await heading('Deliveries').waitFor()
  await rows().first().waitFor()
  await keyboard.press('j')
  await keyboard.press('Enter')
  await heading('Delivery').waitFor()
  expect(under.faults).toEqual([])
})
