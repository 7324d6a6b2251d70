import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import { eventually, openWorld } from '../support/world.ts'
import {
  type ConsoleWorld,
  openConsole,
  signIn,
  signInAsOperator,
} from './support/console-world.ts'
import { importUser } from './support/seed.ts'

const opened = new AsyncDisposableStack()
let console: ConsoleWorld
let tenant: Tenant
let page: Page
let faults: string[]

beforeAll(async () => {
  console = opened.use(await openConsole(openWorld, { env: { WEBHOOK_CIRCUIT_COOLDOWN: '10m' } }))
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await console.world.tenant()
  ;({ page, faults } = await console.open())
})

const button = (name: string) => page.getByRole('button', { name })
const link = (name: string | RegExp) =>
  page.getByRole('link', { name, exact: typeof name === 'string' })
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name })

async function choose(action: string): Promise<void> {
  await button('More').click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

it('shows a circuit that opens, counts down, and closes it by hand', async () => {
  const { receiver } = console.world
  const path = `/${tenant.projectId}`
  receiver.answer(path, () => ({ status: 503 }))
  await tenant.putTable('orders')
  const { id } = await tenant.subscribe(receiver.url(path), {
    policy: { retryDelays: ['100ms', '100ms', '100ms', '100ms', '100ms', '100ms'] },
  })
  await signIn(page, tenant)
  await link('Endpoints').click()
  await page.getByRole('cell', { name: 'Closed', exact: true }).waitFor()
  await eventually(
    async () => {
      await tenant.insert()
      return tenant.deliveries(id)
    },
    (all) => all.some(({ status }) => status === 'paused'),
    20_000,
  )
  const countdown = page.getByRole('cell', { name: /Circuit open/ }).locator('time')
  const first = await countdown.innerText()
  await eventually(
    () => countdown.innerText(),
    (text) => text !== first,
  )
  receiver.answer(path, () => ({ status: 204 }))
  await button('Close the circuit now').click()
  await inDialog('Close the circuit').click()
  await page.getByRole('cell', { name: 'Closed', exact: true }).waitFor()
  await eventually(
    () => tenant.deliveries(id),
    (all) => all.every(({ status }) => status !== 'paused'),
    20_000,
  )
  expect(faults).toEqual([])
})

it('replays a past time, with its progress', async () => {
  const { receiver } = console.world
  await tenant.putTable('orders')
  const path = `/${tenant.projectId}`
  const webhook = await tenant.subscribe(receiver.url(path))
  await tenant.insert()
  await receiver.waitFor(path, 1)
  await signIn(page, tenant)
  await link('Webhooks').click()
  await link(new RegExp(path)).click()
  await page.getByText('HTTP 204').first().waitFor()
  await choose('Replay a past time')
  await page.getByText('1 delivery of this webhook began in this time.').waitFor()
  await page.getByLabel('Changes of').selectOption('own')
  await button('Start the replay').click()
  await page.getByText('must be a time').waitFor()
  await page.getByLabel('Changes of').selectOption('24h')
  await button('Start the replay').click()
  await page.getByText('The replay is done').waitFor()
  await page.getByText('1 change read, 1 delivery made.').waitFor()
  await receiver.waitFor(path, 2)
  expect(page.url()).toContain(`webhooks/${webhook.id}/replay?replay=`)
  expect(faults).toEqual([])
})

it('finds, changes, logs out and deletes a user, and names a right that is missing', async () => {
  const userId = await importUser(console.world, tenant, { email: 'ada@example.com' })
  const user = `/${tenant.projectId}/environments/master/users/${userId}`
  const stored = () => admin(console.world.system, `GET ${user}`)
  await signIn(page, tenant)
  await link('Users').click()
  await page.getByLabel('E-mail address').fill('nobody@example.com')
  await button('Find').click()
  await page.getByText('No user has this address').waitFor()
  await button('Clear').click()
  await link(/ada@example.com/).click()

  await page.getByLabel('New role').fill('auditor')
  await button('Create the role').click()
  await page.getByRole('checkbox', { name: 'auditor' }).check()
  await button('Save the roles').click()
  await page.getByText('Roles changed').first().waitFor()
  await button('Disable').click()
  await inDialog('Disable the user').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  expect((await stored()).body).toMatchObject({ disabled: true, roles: ['clerk', 'auditor'] })
  await button('Enable').click()
  await page.getByText('Active', { exact: true }).waitFor()
  await choose('Log out everywhere')
  await inDialog('End every session').click()
  await page.getByText('Every session of the user ended').first().waitFor()
  await choose('Delete')
  await inDialog('Delete the user').click()
  await page.getByText('No users yet').waitFor()
  expect((await stored()).status).toBe(404)

  const { body } = expectStatus(
    201,
    await admin(console.world.system, `POST /${tenant.projectId}/management-tokens`, {
      name: 'webhooks only',
      rights: ['webhooks'],
    }),
  )
  await button('Sign out').click()
  await signIn(page, { ...namesOf(tenant), token: body.token } as Tenant)
  await link('Users').click()
  await page.getByText('Your token lacks the right “users”').waitFor()
  expect(faults).toEqual([])
})

it('unlocks a user after failed logins', async () => {
  const { system } = console.world
  const auth = { emailVerification: false, lockout: { threshold: 1 } }
  expectStatus(200, await admin(system, `PUT /${tenant.projectId}/environments/master`, { auth }))
  const user = { email: 'grace@example.com', password: 'correct horse battery' }
  const call = async (name: string, body: object) => {
    const headers = {
      'x-project-id': tenant.projectId,
      environment: 'master',
      'content-type': 'application/json',
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${system.baseUrl}/auth/${name}`, init)).json()
  }
  await call('signup', user)
  await call('login', { ...user, password: 'wrong' })
  expect(await call('login', user)).toMatchObject({ error: 'AUTH_ACCOUNT_LOCKED' })
  await signIn(page, tenant)
  await link('Users').click()
  await link(/grace@example.com/).click()
  await choose('Unlock after failed logins')
  await page.getByText('Locks after failed logins ended').first().waitFor()
  expect(await call('login', user)).toMatchObject({ accessToken: expect.any(String) })
  expect(faults).toEqual([])
})

const namesOf = ({ projectId, environment }: Tenant) => ({ projectId, environment })

it('makes a project, and a token with which its owner signs in', async () => {
  const project = `made-${randomUUID()}`
  await signInAsOperator(page, console.world.system.adminToken)
  await button('New project').click()
  await inDialog('Create the project').click()
  await page.getByText('must be set').waitFor()
  await page.getByRole('textbox', { name: 'Project' }).fill(project)
  await inDialog('Create the project').click()
  await button('New token').first().click()
  await page.getByLabel('Name').fill('first')
  await inDialog('Create the token').click()
  const shown = page.getByRole('region', { name: 'Management token', exact: true })
  const token = (await shown.innerText()).trim()
  await inDialog('Close').click()
  await button('Sign out').click()
  await signIn(page, { projectId: project, environment: 'master', token } as Tenant)
  await page.getByText('Your first webhook').waitFor()
  expect(faults).toEqual([])
})

it('changes settings, rotates keys, makes and revokes a token, and deletes', async () => {
  const { system } = console.world
  // Other tests make projects too, and the first page shows the first names.
  tenant = await console.world.tenant({ projectId: `aaa-${randomUUID()}` })
  const environment = `/${tenant.projectId}/environments/master`
  await signInAsOperator(page, system.adminToken)
  const row = page.getByRole('row').filter({ hasText: tenant.projectId })
  await row.getByRole('link', { name: 'master' }).click()
  await page.getByLabel('Failed logins before a lock').fill('0')
  await button('Save the settings').click()
  await page.locator('input[aria-invalid="true"]').waitFor()
  await page.getByLabel('Failed logins before a lock').fill('7')
  await button('Save the settings').click()
  await page.getByText('Settings changed').first().waitFor()
  const changed = expectStatus(200, await admin(system, `GET ${environment}`)).body
  expect(changed).toMatchObject({ auth: { lockout: { threshold: 7 } } })
  await choose('Rotate the keys')
  await inDialog('Rotate the keys').click()
  await page.getByRole('heading', { name: 'The keys were rotated' }).waitFor()
  await inDialog('Close').click()

  await link('Tokens').click()
  await button('New token').click()
  await page.getByLabel('Name').fill('deploy')
  await page.getByRole('checkbox', { name: 'tables' }).uncheck()
  await inDialog('Create the token').click()
  const shown = page.getByRole('region', { name: 'Management token', exact: true })
  const token = (await shown.innerText()).trim()
  const headers = { authorization: `Bearer ${token}` }
  expect((await tenant.rest('GET orders', undefined, headers)).status).not.toBe(401)
  await inDialog('Close').click()
  expect(await page.content()).not.toContain(token)
  await button('Revoke deploy').click()
  await inDialog('Revoke the token').click()
  await page.getByText('Token deploy revoked').first().waitFor()

  const staging = `/${tenant.projectId}/environments/staging`
  expectStatus(200, await admin(system, `PUT ${staging}`, {}))
  await link('Projects').first().click()
  await row.getByRole('link', { name: 'staging' }).click()
  await choose('Delete')
  await page.getByLabel('Type staging to confirm').fill('staging')
  await inDialog('Delete the environment').click()
  await page.getByText(`${tenant.projectId} / staging is being deleted`).first().waitFor()
  expect((await admin(system, `GET ${staging}`)).body).toMatchObject({
    deletedAt: expect.any(String),
  })
  expectStatus(200, await admin(system, `GET ${environment}`))

  await link('Projects').first().click()
  await row.getByRole('button', { name: 'Delete' }).click()
  await inDialog('Delete the project').click()
  await page.getByText(`must be ${tenant.projectId}`).waitFor()
  await page.getByLabel(/to confirm/).fill(tenant.projectId)
  await inDialog('Delete the project').click()
  await page.getByText('is being deleted').first().waitFor()
  expect((await tenant.rest('GET orders')).status).toBe(401)
  expect(faults).toEqual([])
})

it('links to the OpenAPI documents that the gateway serves', async () => {
  await signIn(page, tenant)
  await link('API').click()
  const links = page.getByRole('table').getByRole('link')
  await links.first().waitFor()
  const paths = await Promise.all((await links.all()).map((one) => one.getAttribute('href')))
  expect(paths).toHaveLength(4)
  for (const path of paths) {
    const answer = await fetch(`${console.world.system.baseUrl}${path}`)
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0' })
  }
  expect(faults).toEqual([])
})
