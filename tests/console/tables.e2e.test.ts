import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus, type Records } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
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
const condition = () => page.getByRole('group', { name: 'Condition 1' })
const asJson = () =>
  page.getByRole('group', { name: 'View of fields' }).getByRole('radio', { name: 'JSON' })
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
  await page.getByLabel('customer').fill('Ada')
  await page.getByLabel('total').fill('much')
  await button('Create the record').click()
  await page.locator('input[aria-invalid="true"]').waitFor()
  expect(await page.getByLabel('total').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('total').fill('7')
  await button('Create the record').click()
  await page.getByRole('heading', { level: 1, name: 'Record', exact: true }).waitFor()

  await asJson().check()
  await editor().fill('{ "customer": "Ada", "total": 8 }')
  await button('Save').click()
  await page.getByRole('cell', { name: 'UPDATE', exact: true }).waitFor()
  expect(await page.getByRole('cell', { name: 'INSERT', exact: true }).count()).toBe(1)

  const [record] = await listed()
  expect(record).toMatchObject({ customer: 'Ada', total: 8 })
  await page.goto(`${console.world.system.baseUrl}/console/`)
  await signIn(page, tenant)
  await link('Tables').first().click()
  await link('orders').click()
  await button('Add a condition').click()
  await choose({ column: 'total', operator: 'lt', value: 'much' })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await condition().getByText('must be a whole number of 32 bits').waitFor()
  await choose({ column: 'total', operator: 'lt', value: '8' })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByText('No record matches').waitFor()
  await button('Clear the filters').click()
  await page.getByRole('cell', { name: 'Ada', exact: true }).waitFor()

  await page.locator('a[title]').first().click()
  await button('More').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await button('Delete the record').click()
  await page.getByText('No records yet').waitFor()
  expect(await listed()).toEqual([])
  expect(faults).toEqual([])
})

async function choose(test: { column: string; operator: string; value: string }): Promise<void> {
  await condition().getByRole('combobox', { name: 'Column' }).selectOption(test.column)
  await condition().getByLabel('Operator').selectOption(test.operator)
  await condition().getByRole('textbox', { name: 'Value' }).fill(test.value)
}

const listed = async () => expectStatus(200, await tenant.rest<Records>('GET orders')).body.records

it('refuses to save over a change of somebody else', async () => {
  const { id } = await tenant.insert({ customer: 'Grace', total: 1 })
  await link('Tables').first().click()
  await link('orders').click()
  await page.locator('a[title]').first().click()
  await page.getByLabel('total').waitFor()
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { total: 2 }))
  await page.getByLabel('total').fill('3')
  await button('Save').click()
  await page.getByRole('alert').first().waitFor()
  expect(await listed()).toMatchObject([{ id, total: 2 }])
  await button('Load the current record').click()
  await eventually(
    () => page.getByLabel('total').inputValue(),
    (total) => total === '2',
  )
})

it('shows changes as they commit, and pauses', async () => {
  await link('Stream').click()
  await page.getByText('No change yet').waitFor()
  await page.getByRole('combobox', { name: 'Table' }).fill('orders')
  await button('Add a condition').click()
  await choose({ column: 'total', operator: 'gte', value: 'much' })
  await button('Apply the filters').click()
  await condition().getByText('must be a whole number of 32 bits').waitFor()
  await choose({ column: 'total', operator: 'gte', value: '5' })
  // The stream begins with what is written after its answer.
  const streaming = page.waitForResponse((got) => got.url().includes('/_stream') && got.ok())
  await button('Start').click()
  await streaming
  await tenant.insert({ customer: 'Alan', total: 5 })
  await page.getByText('Alan').waitFor()
  await button('Pause').click()
  await tenant.insert({ customer: 'Edsger', total: 6 })
  await page.getByText('1 change came since you paused.').waitFor()
  expect(await page.getByText('Edsger').count()).toBe(0)
  await button('Resume').click()
  await page.getByText('Edsger').waitFor()
  expect(faults).toEqual([])
})

it('finds an operation of the API, and a command that calls it', async () => {
  await link('API').click()
  const search = page.getByRole('searchbox', { name: 'Search operations' })
  await search.fill('records create')
  await search.press('Enter')
  await page.getByRole('heading', { name: 'Create records' }).waitFor()
  const command = await page
    .getByRole('region', { name: 'Command that calls createRecords' })
    .innerText()
  expect(command).toContain(`-H 'X-Project-Id: ${tenant.projectId}'`)
  expect(command).toContain(`-H 'environment: ${tenant.environment}'`)
  expect(command).toContain('Bearer $MANAGEMENT_TOKEN')
  expect(page.url()).toContain('operation=createRecords')
  expect(faults).toEqual([])
})

const graphQLPage = () =>
  page.getByRole('navigation', { name: 'About the API' }).getByText('GraphQL')
const operation = () => page.getByRole('textbox', { name: 'Operation', exact: true })
const result = () => page.getByRole('textbox', { name: 'Result', exact: true })

it('runs GraphQL as the session, completes, and forgets all of it at the end', async () => {
  await graphQLPage().click()
  await operation().getByText('orders').first().waitFor()
  await operation().press('Control+Enter')
  await result().getByText('Alan').waitFor()

  await operation().fill('query Mine($id: ID!) { ord')
  await operation().press('Control+Space')
  await page
    .getByRole('option', { name: /^order/ })
    .first()
    .waitFor()
  await operation().press('Escape')
  await operation().fill('query Mine($id: ID!) { order(id: $id) { customer } }')
  await page.getByRole('textbox', { name: 'Variables' }).fill('{ "id": "nobody" }')
  await button('Run').click()
  await result().getByText('RECORD_NOT_FOUND').waitFor()

  await page.getByLabel('Endpoint').selectOption('auth')
  // The editor of this endpoint is another one.
  await operation().getByText('query Mine').waitFor({ state: 'detached' })
  await operation().fill('{ settings { emailVerification } }')
  await button('Run').click()
  await result().getByText('emailVerification').waitFor()
  await page.getByRole('tab', { name: 'Schema' }).click()
  await page.getByRole('searchbox', { name: 'Search the schema' }).fill('refresh')
  await page.getByText('refreshToken').first().waitFor()

  expect(page.url()).not.toContain(tenant.token)
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
  expect(kept).toBe('[{},{}]')
  await button('Sign out').click()
  await signIn(page, tenant)
  await link('API').click()
  await graphQLPage().click()
  await operation().getByText('query First').waitFor()
  expect(await button('History').count()).toBe(0)
  expect(faults).toEqual([])
})
