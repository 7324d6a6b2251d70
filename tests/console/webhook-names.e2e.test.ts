import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
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
  await tenant.putTable('orders', { customer: 'text', status: 'text' })
  ;({ page, faults } = await console.open())
})

const { button, link, heading } = onPage(() => page)
const field = (name: string) => page.getByRole('textbox', { name, exact: true })

it('names a webhook in lists, on its page and in its form', async () => {
  const url = console.world.receiver.url(`/${tenant.projectId}`)
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await page.getByLabel('Table').fill('orders')
  await page.getByLabel('URL').fill(url)
  await field('Name').fill('  Orders to accounting ')
  await page.getByLabel('Description').fill('Paid orders.\nAsk Ann.')
  await button('Create the webhook').click()
  await heading('Orders to accounting').waitFor()
  await page.getByText(/^Paid orders.\nAsk Ann.$/).waitFor()
  const listed = expectStatus(200, await tenant.webhooks('GET')).body as unknown as WebhookList
  const texts = { name: 'Orders to accounting', description: 'Paid orders.\nAsk Ann.' }
  expect(listed.webhooks).toEqual([expect.objectContaining(texts)])

  await tenant.insert({ customer: 'Ada', status: 'paid' })
  await console.world.receiver.waitFor(`/${tenant.projectId}`, 1)
  await link('Webhooks').first().click()
  const row = page.getByRole('link', { name: /^Orders to accounting/ })
  await row.getByText(url.replace('https://', '')).waitFor()
  await link('Endpoints').click()
  await link('Orders to accounting').click()
  await heading('Orders to accounting').waitFor()

  await link('Edit').click()
  await field('Name').fill('')
  await page.getByText('Fields, delivery policy and key').click()
  await field('Key').fill('Not a key')
  await button('Save the webhook').click()
  await page.locator('input[name="key"][aria-invalid="true"]').waitFor()
  await field('Key').fill('accounting')
  await button('Save the webhook').click()
  await heading('accounting').waitFor()
  expect(faults).toEqual([])
})

it('runs no text of a name or a description', async () => {
  const { id } = await tenant.subscribe(console.world.receiver.url(`/${tenant.projectId}`))
  await signIn(page, tenant, { stay: true })
  for (const name of acceptedNames) {
    const change = { name, description: acceptedNames.join('\n') }
    expectStatus(200, await tenant.webhooks(`PATCH /${id}`, change))
    await page.goto(`${console.world.system.baseUrl}/console/webhooks`)
    await page.getByText(name, { exact: true }).waitFor()
    await page.goto(`${console.world.system.baseUrl}/console/webhooks/${id}`)
    await heading(name).waitFor()
    await link('Edit').click()
    expect(await field('Name').inputValue()).toBe(name)
  }
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(faults).toEqual([])
})

type WebhookList = { webhooks: { id: string }[] }
/** A name has no control characters. */
const acceptedNames = hostile.filter((text) => !/[\p{Cc}\p{Zl}]/u.test(text))
