import { expect, it } from '@jest/globals'
import { faultsOfAccess } from './support/axe.ts'
import { signIn } from './support/console-world.ts'
import { oneTimeUrl, variablesOf } from './support/one-time-url.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, heading } = under
const storage = () =>
  under.page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })')

it('keeps the token out of URLs and, unless asked, out of the storage', async () => {
  await signIn(under.page, under.tenant)
  expect(under.page.url()).not.toContain(under.tenant.token)
  expect(await storage()).toBe('{}')
  await under.page.reload()
  await heading('Sign in to Surehook').waitFor()

  await signIn(under.page, under.tenant, { stay: true })
  await under.page.reload()
  await heading('Overview').waitFor()
  await button('Sign out').click()
  await heading('Sign in to Surehook').waitFor()
  expect(await storage()).toBe('{}')
})

it('begins with a one-time code of `surehook console`, once', async () => {
  const { baseUrl, adminToken } = under.console.world.system
  const url = await oneTimeUrl(baseUrl, variablesOf(under.tenant))
  // The sign-in page is open already: the browser loads nothing again.
  await under.page.goto(url)
  await heading('Overview').waitFor()
  await under.page.getByText(under.tenant.projectId).first().waitFor()
  expect([under.page.url(), await storage()]).toEqual([`${baseUrl}/console/`, '{}'])
  const used = await under.console.open(url.slice(`${baseUrl}/console/`.length))
  await used.page.getByText('The one-time code did not sign you in').waitFor()
  expect(used.page.url()).toBe(`${baseUrl}/console/`)
  expect(await faultsOfAccess(used.page)).toEqual([])
  // The page has a session, so the console asks before it takes the code. Elsewhere a dialog is a
  // fault.
  under.page.removeAllListeners('dialog')
  const asked: string[] = []
  under.page.once('dialog', (dialog) => {
    asked.push(dialog.message())
    void dialog.accept()
  })
  await under.page.goto(url)
  await under.page.getByText('The code is wrong, expired or used').first().waitFor()
  expect(asked).toEqual([expect.stringContaining('ends your session')])
  await heading('Overview').waitFor()
  const operatorUrl = await oneTimeUrl(baseUrl, { SUREHOOK_ADMIN_TOKEN: adminToken }, '--operator')
  const operator = await under.console.open(operatorUrl.slice(`${baseUrl}/console/`.length))
  await operator.page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  expect(operator.page.url()).toBe(`${baseUrl}/console/operator`)
  expect([...under.faults, ...used.faults, ...operator.faults]).toEqual([])
})

it('does not begin with a wrong token', async () => {
  await under.page.getByLabel('Project').fill(under.tenant.projectId)
  await under.page.getByLabel('Management token').fill('wrong')
  await button('Sign in').click()
  await under.page.getByRole('alert').getByText('Surehook refused the token').waitFor()
})

it('ends at once when its token is revoked, and says why', async () => {
  await signIn(under.page, under.tenant, { stay: true })
  await revokeTokens()
  // The console may notice before the click.
  await under.page.evaluate(`document.querySelector('a[href="/console/webhooks"]')?.click()`)
  await heading('Sign in to Surehook').waitFor()
  await under.page.getByText('It was revoked').waitFor()
  expect(await storage()).toBe('{}')
})

async function revokeTokens(): Promise<void> {
  const { baseUrl, adminToken } = under.console.world.system
  const url = `${baseUrl}/auth/admin/projects/${under.tenant.projectId}/management-tokens`
  const headers = { authorization: `Bearer ${adminToken}` }
  const { tokens } = (await (await fetch(url, { headers })).json()) as { tokens: { id: string }[] }
  for (const { id } of tokens) await fetch(`${url}/${id}`, { method: 'DELETE', headers })
}
