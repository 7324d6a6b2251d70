import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../support/shared/ask-shared.ts'
import { openSharedWorld } from '../support/shared/shared-world.ts'
import { faultsOfAccess } from './support/axe.ts'
import { type ConsoleWorld, openConsole, signIn } from './support/console-world.ts'
import { onPage } from './support/on-page.ts'
import { oneTimeUrl, variablesOf } from './support/one-time-url.ts'

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

const { button, heading } = onPage(() => page)
const storage = () =>
  page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })')

it('keeps the token out of URLs and, unless asked, out of the storage', async () => {
  await signIn(page, tenant)
  expect(page.url()).not.toContain(tenant.token)
  expect(await storage()).toBe('{}')
  await page.reload()
  await heading('Sign in to Surehook').waitFor()

  await signIn(page, tenant, { stay: true })
  await page.reload()
  await heading('Overview').waitFor()
  await button('Sign out').click()
  await heading('Sign in to Surehook').waitFor()
  expect(await storage()).toBe('{}')
})

it('begins with a one-time code of `surehook console`, once', async () => {
  const { baseUrl, adminToken } = console.world.system
  const url = await oneTimeUrl(baseUrl, variablesOf(tenant))
  // The sign-in page is open already: the browser loads nothing again.
  await page.goto(url)
  await heading('Overview').waitFor()
  await page.getByText(tenant.projectId).first().waitFor()
  expect([page.url(), await storage()]).toEqual([`${baseUrl}/console/`, '{}'])
  const used = await console.open(url.slice(`${baseUrl}/console/`.length))
  await used.page.getByText('The one-time code did not sign you in').waitFor()
  expect(used.page.url()).toBe(`${baseUrl}/console/`)
  expect(await faultsOfAccess(used.page)).toEqual([])
  // The page has a session, so the console asks before it takes the code. Elsewhere a dialog is a
  // fault.
  page.removeAllListeners('dialog')
  const asked: string[] = []
  page.once('dialog', (dialog) => {
    asked.push(dialog.message())
    void dialog.accept()
  })
  await page.goto(url)
  await page.getByText('The code is wrong, expired or used').first().waitFor()
  expect(asked).toEqual([expect.stringContaining('ends your session')])
  await heading('Overview').waitFor()
  const operatorUrl = await oneTimeUrl(baseUrl, { SUREHOOK_ADMIN_TOKEN: adminToken }, '--operator')
  const operator = await console.open(operatorUrl.slice(`${baseUrl}/console/`.length))
  await operator.page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  expect(operator.page.url()).toBe(`${baseUrl}/console/operator`)
  expect([...faults, ...used.faults, ...operator.faults]).toEqual([])
})

it('does not begin with a wrong token', async () => {
  await page.getByLabel('Project').fill(tenant.projectId)
  await page.getByLabel('Management token').fill('wrong')
  await button('Sign in').click()
  await page.getByRole('alert').getByText('Surehook refused the token').waitFor()
})

it('ends at once when its token is revoked, and says why', async () => {
  await signIn(page, tenant, { stay: true })
  await revokeTokens()
  // The console may notice before the click.
  await page.evaluate(`document.querySelector('a[href="/console/webhooks"]')?.click()`)
  await heading('Sign in to Surehook').waitFor()
  await page.getByText('It was revoked').waitFor()
  expect(await storage()).toBe('{}')
})

async function revokeTokens(): Promise<void> {
  const { baseUrl, adminToken } = console.world.system
  const url = `${baseUrl}/auth/admin/projects/${tenant.projectId}/management-tokens`
  const headers = { authorization: `Bearer ${adminToken}` }
  const { tokens } = (await (await fetch(url, { headers })).json()) as { tokens: { id: string }[] }
  for (const { id } of tokens) await fetch(`${url}/${id}`, { method: 'DELETE', headers })
}
