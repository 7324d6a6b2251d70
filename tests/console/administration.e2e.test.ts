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
import { onPage } from './support/on-page.ts'
import { seedHole } from './support/seed-hole.ts'

const opened = new AsyncDisposableStack()
let console: ConsoleWorld
let tenant: Tenant
let page: Page
let faults: string[]

const testReceiver = 'https://localhost:9444/'
const env = { WEBHOOK_CIRCUIT_COOLDOWN: '10m', CONSOLE_TEST_RECEIVER: testReceiver }

beforeAll(async () => {
  console = opened.use(await openConsole(openWorld, { env }))
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await console.world.tenant()
  ;({ page, faults } = await console.open())
})

const { button, link, inDialog, choose } = onPage(() => page)

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

it('leads from nothing to a delivered, explained and redelivered webhook', async () => {
  const { receiver } = console.world
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
  await page.getByRole('region', { name: 'Management token', exact: true }).waitFor()
  await inDialog('Sign in as a developer').click()

  await page.getByText('Your first webhook').waitFor()
  await link('New table').click()
  await page.getByLabel('Name').first().fill('orders')
  await page.getByLabel('Name').nth(1).fill('customer')
  await button('Create the table').click()
  await page.getByText('No records yet').waitFor()

  await link('Overview').click()
  await link('New webhook').click()
  expect(await page.getByRole('combobox', { name: 'Table' }).inputValue()).toBe('orders')
  await button('Use the test receiver').click()
  const url = page.getByRole('textbox', { name: 'URL' })
  expect(await url.inputValue()).toBe(testReceiver)
  // None listens there: only `npm start` runs it.
  await url.fill(receiver.url(`/${project}`))
  await button('Create the webhook').click()

  await link('Create a record').click()
  await button('Create the record').click()
  await link('Its deliveries').click()
  await page.getByText('HTTP 204').first().waitFor()
  await page.locator('[data-row-link]').first().click()
  await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor()
  await button('Redeliver').click()
  await inDialog('Redeliver').click()
  await page.getByText('Sends again').waitFor()
  await page.locator('dd a[href*="/events/"]').click()
  await page.getByText('Webhooks of this table').waitFor()
  await page.getByRole('cell', { name: 'Delivered' }).waitFor()
  await receiver.waitFor(`/${project}`, 2)
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
  const keys = page.getByRole('region', { name: 'Public keys' }).getByRole('row')
  await keys.nth(1).waitFor()
  const before = await keys.count()
  await choose('Rotate the keys')
  await inDialog('Rotate the keys').click()
  await page.getByRole('heading', { name: 'The keys were rotated' }).waitFor()
  await inDialog('Close').click()
  await eventually(
    () => keys.count(),
    (shown) => shown > before,
  )

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
  await choose('Revoke', 'deploy')
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
  await choose('Delete the project', tenant.projectId)
  await inDialog('Delete the project').click()
  await page.getByText(`must be ${tenant.projectId}`).waitFor()
  await page.getByLabel(/to confirm/).fill(tenant.projectId)
  await inDialog('Delete the project').click()
  await page.getByText('is being deleted').first().waitFor()
  await eventually(
    () => tenant.rest('GET orders'),
    ({ status }) => status === 401,
  )
  expect(faults).toEqual([])
})

it('shows the operator the health of every service, and no developer', async () => {
  await signInAsOperator(page, console.world.system.adminToken)
  await link('Health').click()
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  await eventually(
    () => region('Services').getByRole('row').allInnerTexts(),
    (rows) => rows.filter((row) => /^\s*(Runs|Ready)/.test(row)).length === 6,
  )
  expect(await region('Replication slots').getByText('surehook_data_api').count()).toBe(1)
  expect(await region('Consumer groups').getByText('webhook-dispatcher').count()).toBe(1)
  // Other tests leave dead letters, which are a finding about deliveries.
  const checks = await eventually(
    async () => {
      const [, ...rows] = await region('Checks').getByRole('row').allInnerTexts()
      return rows.filter((row) => !row.includes('Deliveries'))
    },
    (rows) => rows.every((row) => row.startsWith('OK')),
  )
  expect(checks.join()).toContain('Redis')
  for (const path of ['_health', '_jobs']) {
    expect((await tenant.rest(`GET _webhooks/${path}`)).status).toBe(401)
  }
  expect(faults).toEqual([])
})

it('takes the ledger, and leads from a hole to its event', async () => {
  const { receiver, system } = console.world
  await tenant.putTable('orders')
  const path = `/${tenant.projectId}`
  const { id } = await tenant.subscribe(receiver.url(path))
  const other = await tenant.subscribe(receiver.url(path), { events: ['DELETE'] })
  const record = await tenant.insert()
  const [delivery] = await eventually(
    () => tenant.deliveries(id),
    (all) => all.some(({ status }) => status === 'delivered'),
  )
  const eventId = delivery?.eventId ?? ''
  const url = receiver.url(path)
  await seedHole(system, { tenant, eventId, recordId: record.id, webhookId: other.id, url })
  await signInAsOperator(page, system.adminToken)
  await link('Ledger').click()
  await page.getByRole('textbox', { name: 'Project' }).fill(tenant.projectId)
  await button('Take the ledger').click()
  await page.getByText('The ledger does not close: 1 hole').waitFor()
  const opening = page.context().waitForEvent('page')
  await link(new RegExp(eventId)).click()
  const tab = await opening
  expect(await tab.getByLabel('Project').inputValue()).toBe(tenant.projectId)
  await signIn(tab, tenant)
  await tab.getByRole('heading', { name: 'Event', exact: true }).waitFor()
  await tab.getByText(record.id).first().waitFor()
  expect(tab.url()).toContain(`/events/${eventId}`)
  expect(faults).toEqual([])
})

it('rebuilds the history, with its progress', async () => {
  await signInAsOperator(page, console.world.system.adminToken)
  await link('Running jobs').click()
  await button('Rebuild the history').click()
  await inDialog('Rebuild the history').click()
  await page.getByText(/Rebuilt from \d/).waitFor()
  expect(faults).toEqual([])
})

it('links to the OpenAPI documents that the gateway serves', async () => {
  await signIn(page, tenant)
  await link('API').click()
  const links = page.locator('a[href^="/openapi/"]')
  await links.first().waitFor()
  const paths = await Promise.all((await links.all()).map((one) => one.getAttribute('href')))
  expect(paths).toHaveLength(4)
  for (const path of paths) {
    const answer = await fetch(`${console.world.system.baseUrl}${path}`)
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0' })
  }
  expect(faults).toEqual([])
})
