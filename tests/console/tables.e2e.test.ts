import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/shared-systems.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { type ConsoleWorld, openConsole, signIn } from './support/console-world.ts'

const opened = new AsyncDisposableStack()
let console: ConsoleWorld<SharedSystem>
let tenant: Tenant
let page: Page
let faults: string[]

beforeAll(async () => {
  console = opened.use(await openConsole(openSharedWorld))
  tenant = await console.world.tenant()
  ;({ page, faults } = await console.open())
  await signIn(page, tenant)
})
afterAll(() => opened.disposeAsync())

const button = (name: string | RegExp) => page.getByRole('button', { name })
const link = (name: string | RegExp) => page.getByRole('link', { name })
const editor = () => page.getByRole('textbox', { name: 'Fields as JSON' })

it('defines a table, and creates, changes, finds and deletes its records', async () => {
  await link('Tables').first().click()
  await link('New table').first().click()
  await page.getByLabel('Name').first().fill('orders')
  await page.getByLabel('Name').nth(1).fill('customer')
  await button('Add a column').click()
  await page.getByLabel('Name').nth(2).fill('total')
  await page.getByLabel('Type').nth(1).selectOption('integer')
  await button('Create the table').click()
  await page.getByText('No records yet').waitFor()

  await link('New record').first().click()
  await editor().fill('{ "customer": "Ada", "total": "much" }')
  await button('Create the record').click()
  await page
    .getByText(/total must be/)
    .first()
    .waitFor()
  await editor().fill('{ "customer": "Ada", "total": 7 }')
  await button('Create the record').click()
  await page.getByRole('heading', { level: 1, name: 'Record', exact: true }).waitFor()

  await editor().fill('{ "customer": "Ada", "total": 8 }')
  await button('Save').click()
  await page.getByRole('cell', { name: 'UPDATE', exact: true }).waitFor()
  expect(await page.getByRole('cell', { name: 'INSERT', exact: true }).count()).toBe(1)

  const [record] = (await listed()) as { id: string; total: number }[]
  expect(record).toMatchObject({ customer: 'Ada', total: 8 })
  await page.goto(`${console.world.system.baseUrl}/console/`)
  await signIn(page, tenant)
  await link('Tables').first().click()
  await link('orders').click()
  await page.getByRole('textbox', { name: 'Filter' }).fill('{ "total": { "lt": 8 } }')
  await button('Filter').click()
  await page.getByText('No record matches').waitFor()
  await button('Clear').click()
  await page.getByRole('cell', { name: 'Ada', exact: true }).waitFor()

  await page.locator('a[title]').first().click()
  await button('Delete').click()
  await button('Delete the record').click()
  await page.getByText('No records yet').waitFor()
  expect(await listed()).toEqual([])
  expect(faults).toEqual([])
})

const listed = async () => {
  const { body } = expectStatus(200, await tenant.rest('GET orders'))
  return (body as { records: unknown[] }).records
}

it('refuses to save over a change of somebody else', async () => {
  const { id } = await tenant.insert({ customer: 'Grace', total: 1 })
  await link('Tables').first().click()
  await link('orders').click()
  await page.locator('a[title]').first().click()
  await editor().waitFor()
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { total: 2 }))
  await editor().fill('{ "customer": "Grace", "total": 3 }')
  await button('Save').click()
  await page.getByRole('alert').first().waitFor()
  expect(await listed()).toMatchObject([{ id, total: 2 }])
})

it('shows changes as they commit, and holds them still', async () => {
  await link('Stream').click()
  await page.getByText('No change yet').waitFor()
  await tenant.insert({ customer: 'Alan', total: 5 })
  await page.getByText('"Alan"').waitFor()
  await button('Hold the list').click()
  await tenant.insert({ customer: 'Edsger', total: 6 })
  await page.getByText('1 change came since you held the list.').waitFor()
  expect(await page.getByText('Edsger').count()).toBe(0)
  await button('Go on').click()
  await page.getByText('Edsger').waitFor()
  expect(faults).toEqual([])
})
