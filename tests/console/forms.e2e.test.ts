import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
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
  ;({ page, faults } = await console.open())
})

const { button, link, heading } = onPage(() => page)

it('says that an address is private, and saves a policy from its form', async () => {
  await tenant.putTable('orders')
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await page.getByLabel('Table').fill('orders')
  await page.getByLabel('URL').fill('https://10.0.0.1/hooks')
  const notice = page.getByText('10.0.0.1 is a private address.')
  await notice.waitFor()
  await page.getByLabel('URL').fill('https://example.com/hooks')
  await notice.waitFor({ state: 'detached' })

  await page.getByText('Fields, delivery policy and key').click()
  await page.getByLabel('Retries').selectOption('own')
  await page.getByLabel('Delay before retry 1').selectOption('5m')
  await button('Add a retry').click()
  await page.getByLabel('Delay before retry 2').selectOption('2h')
  await page.getByLabel('Attempts at once').fill('4')
  await page.getByLabel('Attempts per second').fill('0.5')
  await page.getByLabel(/one after the other/).check()
  await button('Add a header').click()
  await page.getByLabel('Name of header 1').fill('X-Key')
  await page.getByLabel('Value of header 1').fill('secret')
  await button('Create the webhook').click()
  await heading('https://example.com/hooks').waitFor()
  const { body } = expectStatus(200, await tenant.webhooks<{ webhooks: object[] }>('GET'))
  expect(body.webhooks).toMatchObject([
    {
      policy: {
        retryDelays: ['5m', '2h'],
        ...{ concurrency: 4, rateLimit: { perSecond: 0.5 }, ordered: 'record' },
        headerNames: ['X-Key'],
      },
    },
  ])
  expect(faults).toEqual([])
})

it('leaves a policy to the JSON that the form cannot show', async () => {
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await page.getByText('Fields, delivery policy and key').click()
  const views = page.getByRole('group', { name: 'View of delivery policy' })
  await views.getByRole('radio', { name: 'JSON' }).check()
  const editor = page.getByRole('textbox', { name: 'Delivery policy' })
  await editor.fill('{ "retryDelays": "never" }')
  await page.waitForFunction('document.querySelector("input[value=form]:disabled") !== null')
  await editor.fill('{ "concurrency": 4 }')
  await views.getByRole('radio', { name: 'Form' }).check()
  expect(await page.getByLabel('Attempts at once').inputValue()).toBe('4')
  expect(faults).toEqual([])
})

it('lists the newest record first, and the definition in tabs', async () => {
  await tenant.putTable('orders')
  await tenant.insert({ note: 'older' })
  await tenant.insert({ note: 'newer' })
  await signIn(page, tenant)
  await link('Tables').click()
  await link('orders').click()
  const rows = page.getByRole('region', { name: 'Records of orders' }).getByRole('row')
  await rows.nth(1).getByText('newer').waitFor()
  await page.getByRole('tab', { name: 'Records' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('cell', { name: 'integer' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await heading('orders').waitFor()
  await page.getByText('Access of users, by role').waitFor()
  expect(page.url()).toContain('tab=access')
  expect(faults).toEqual([])
})
