import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
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

beforeAll(async () => {
  console = opened.use(await openConsole(openSharedWorld))
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await console.world.tenant()
  await tenant.putTable('orders')
  ;({ page, faults } = await console.open())
})

const { button, link, heading } = onPage(() => page)

/** Subscribes receivers that refuse everything, and makes a dead letter for each. */
async function failEverywhere(receivers: number): Promise<void> {
  const { receiver } = console.world
  const paths = Array.from({ length: receivers }, (_, n) => `/${tenant.projectId}/${n}`)
  for (const path of paths) receiver.answer(path, () => ({ status: 500 }))
  const made = await Promise.all(
    paths.map((path) =>
      tenant.subscribe(receiver.url(path), { policy: { retryDelays: ['100ms'] } }),
    ),
  )
  await tenant.insert({ note: 'new' })
  for (const { id } of made) {
    await eventually(
      () => tenant.deliveries(id),
      (all) => all.some(({ status }) => status === 'dead_letter'),
    )
  }
}

it('lists what needs attention by URL, below the numbers', async () => {
  await failEverywhere(7)
  await signIn(page, tenant)
  const troubles = page.locator('.trouble')
  await button('and 2 more').waitFor()
  expect(await troubles.count()).toBe(5)
  const numbers = await page.locator('.stats').boundingBox()
  const first = await troubles.first().boundingBox()
  expect((numbers?.y ?? 0) + (numbers?.height ?? 0)).toBeLessThan(first?.y ?? 0)
  expect(first?.y ?? 0).toBeLessThan(900)
  await troubles.first().getByRole('link', { name: '1 dead letter' }).waitFor()

  await button('and 2 more').click()
  expect(await troubles.count()).toBe(7)
  expect(await troubles.nth(5).locator(':focus').count()).toBe(1)
  await troubles.first().getByRole('link', { name: '1 dead letter' }).click()
  await heading('Deliveries').waitFor()
  expect(faults).toEqual([])
})

it('shows no webhook with many dead letters as healthy', async () => {
  await failEverywhere(1)
  await signIn(page, tenant)
  await link('Webhooks').click()
  await page.getByRole('cell', { name: /Dead letters|Circuit open/ }).waitFor()
  expect(await page.locator('.badge.good').count()).toBe(0)
})

it('opens in a browser whose language is no valid tag', async () => {
  await page.addInitScript("Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })")
  const { id } = await tenant.subscribe(console.world.receiver.url(`/${tenant.projectId}`))
  await tenant.insert({ note: 'new' })
  await eventually(
    () => tenant.deliveries(id),
    ([first]) => first?.status === 'delivered',
  )
  await page.reload()
  expect(await page.evaluate('navigator.language')).toBe('en-US@posix')
  await signIn(page, tenant)
  await page.getByText('The numbers as a table').waitFor()
  await link('Webhooks').click()
  await link(new RegExp(tenant.projectId)).click()
  await page.getByText('The numbers as a table').waitFor()
  expect(faults).toEqual([])
})
