import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import type { Locator, Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
import { type ConsoleWorld, openConsole, signIn } from './support/console-world.ts'
import { onPage } from './support/on-page.ts'
import { importUser, lockUser, logIn, userPassword } from './support/seed.ts'

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

const { button, link, inDialog, choose } = onPage(() => page)

it('finds, changes, logs out and deletes a user, and names a right that is missing', async () => {
  const userId = await importUser(console.world, tenant, { email: 'ada@example.com' })
  const user = `/${tenant.projectId}/environments/master/users/${userId}`
  const stored = () => admin(console.world.system, `GET ${user}`)
  await signIn(page, tenant)
  await link('Users').click()
  await page.getByLabel('E-mail address').fill('nobody@example.com')
  await button('Find').click()
  await page.getByText('No user has this address').waitFor()
  await button('Clear the filters').click()
  await link(/ada@example.com/).click()

  await page.getByLabel('New role').fill('auditor')
  await button('Create the role').click()
  await page.getByRole('checkbox', { name: 'auditor' }).check()
  await button('Save the roles').click()
  await page.getByText('Roles changed').first().waitFor()
  const attributes = page.getByRole('textbox', { name: 'Attributes as JSON' })
  await attributes.fill('{ "id": 1, "team": null }')
  await button('Save the attributes').click()
  const refused = page.getByRole('alert').getByRole('listitem')
  await refused.getByText('attributes.id').waitFor()
  await refused.getByText('attributes.team').waitFor()
  await attributes.fill('{ "team": "north" }')
  await button('Save the attributes').click()
  await page.getByText('Attributes changed').first().waitFor()
  await choose('Disable')
  await inDialog('Disable the user').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  expect((await stored()).body).toMatchObject({
    disabled: true,
    roles: ['clerk', 'auditor'],
    attributes: { team: 'north' },
  })
  await button('Enable').click()
  await page.getByText('Active', { exact: true }).waitFor()
  await choose('Log out everywhere')
  await inDialog('Log out everywhere').click()
  await page.getByText('The user was logged out everywhere').first().waitFor()
  await choose('Delete')
  await inDialog('Delete the user').click()
  await page.getByText('No users yet').waitFor()
  expect((await stored()).status).toBe(404)

  const limits = { name: 'webhooks only', rights: ['webhooks'] }
  const { token } = await createToken(console.world.system, tenant.projectId, limits)
  await button('Sign out').click()
  await signIn(page, { ...namesOf(tenant), token } as Tenant)
  await link('Users').click()
  await page.getByText('Your token lacks the right “users”').waitFor()
  expect(faults).toEqual([])
})

it('shows where a user is signed in and until when locked, and ends both', async () => {
  const { world } = console
  const email = 'grace@example.com'
  const login = () => logIn(world, tenant, { email, password: userPassword })
  await importUser(world, tenant, { email })
  await lockUser(world, tenant, email)
  expectStatus(423, await login())

  await signIn(page, tenant)
  await link('Users').click()
  await link(new RegExp(email)).click()
  await page.getByText(/^Locked until .* \(1[45]:\d\d left\)\.$/).waitFor()
  await button('Unlock').click()
  await page.getByText('Failed logins locked this account').waitFor({ state: 'detached' })

  const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('row')
  await expectCount(sessions, 3)
  await sessions.nth(1).getByRole('button', { name: 'Actions of session' }).click()
  await page.getByRole('menuitem', { name: 'End', exact: true }).click()
  await inDialog('End the session').click()
  await expectCount(sessions, 2)
  await button('Log out everywhere').click()
  await inDialog('Log out everywhere').click()
  await page.getByText('The user is not signed in anywhere.').waitFor()
  expectStatus(200, await login())
  expect(faults).toEqual([])
})

const expectCount = (rows: Locator, count: number) =>
  eventually(
    () => rows.count(),
    (shown) => shown === count,
  )

const namesOf = ({ projectId, environment }: Tenant) => ({ projectId, environment })
