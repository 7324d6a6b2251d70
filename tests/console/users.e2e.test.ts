import { expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/world.ts'
import { signIn } from './support/console-world.ts'
import { importUser, lockUser, logIn, userPassword } from './support/seed.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, link, inDialog, choose } = under

it('finds, changes, logs out and deletes a user, and names a right that is missing', async () => {
  const userId = await importUser(under.console.world, under.tenant, { email: 'ada@example.com' })
  const user = `/${under.tenant.projectId}/environments/master/users/${userId}`
  const stored = () => admin(under.console.world.system, `GET ${user}`)
  await signIn(under.page, under.tenant)
  await link('Users').click()
  await under.page.getByLabel('E-mail address').fill('nobody@example.com')
  await button('Find').click()
  await under.page.getByText('No user has this address').waitFor()
  await button('Clear the filters').click()
  await link(/ada@example.com/).click()

  await under.page.getByLabel('New role').fill('auditor')
  await button('Create the role').click()
  await under.page.getByRole('checkbox', { name: 'auditor' }).check()
  await button('Save the roles').click()
  await under.page.getByText('Roles changed').first().waitFor()
  const attributes = under.page.getByRole('textbox', { name: 'Attributes as JSON' })
  await attributes.fill('{ "id": 1, "team": null }')
  await button('Save the attributes').click()
  const refused = under.page.getByRole('alert').getByRole('listitem')
  await refused.getByText('attributes.id').waitFor()
  await refused.getByText('attributes.team').waitFor()
  await attributes.fill('{ "team": "north" }')
  await button('Save the attributes').click()
  await under.page.getByText('Attributes changed').first().waitFor()
  await choose('Disable')
  await inDialog('Disable the user').click()
  await under.page.getByText('Disabled', { exact: true }).waitFor()
  expect((await stored()).body).toMatchObject({
    disabled: true,
    roles: ['clerk', 'auditor'],
    attributes: { team: 'north' },
  })
  await button('Enable').click()
  await under.page.getByText('Active', { exact: true }).waitFor()
  await choose('Log out everywhere')
  await inDialog('Log out everywhere').click()
  await under.page.getByText('The user was logged out everywhere').first().waitFor()
  await choose('Delete')
  await inDialog('Delete the user').click()
  await under.page.getByText('No users yet').waitFor()
  expect((await stored()).status).toBe(404)

  const limits = { name: 'webhooks only', rights: ['webhooks'] }
  const { token } = await createToken(under.console.world.system, under.tenant.projectId, limits)
  await button('Sign out').click()
  await signIn(under.page, { ...namesOf(under.tenant), token } as Tenant)
  await link('Users').click()
  await under.page.getByText('Your token lacks the right “users”').waitFor()
  expect(under.faults).toEqual([])
})

it('shows where a user is signed in and until when locked, and ends both', async () => {
  const { world } = under.console
  const email = 'grace@example.com'
  const login = () => logIn(world, under.tenant, { email, password: userPassword })
  await importUser(world, under.tenant, { email })
  await lockUser(world, under.tenant, email)
  expectStatus(423, await login())

  await signIn(under.page, under.tenant)
  await link('Users').click()
  await link(new RegExp(email)).click()
  await under.page.getByText(/^Locked until .* \(1[45]:\d\d left\)\.$/).waitFor()
  await button('Unlock').click()
  await under.page.getByText('Failed logins locked this account').waitFor({ state: 'detached' })

  const sessions = under.page.getByRole('region', { name: 'Sessions' }).getByRole('row')
  await expectCount(sessions, 3)
  await sessions.nth(1).getByRole('button', { name: 'Actions of session' }).click()
  await under.page.getByRole('menuitem', { name: 'End', exact: true }).click()
  await inDialog('End the session').click()
  await expectCount(sessions, 2)
  await button('Log out everywhere').click()
  await inDialog('Log out everywhere').click()
  await under.page.getByText('The user is not signed in anywhere.').waitFor()
  expectStatus(200, await login())
  expect(under.faults).toEqual([])
})

const expectCount = (rows: Locator, count: number) =>
  eventually(
    () => rows.count(),
    (shown) => shown === count,
  )

const namesOf = ({ projectId, environment }: Tenant) => ({ projectId, environment })
