import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { openBrowser } from '@surehook/scripts/browser/open-browser'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createTenant, defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { patienceMs } from '@surehook/testing/until'
import type { Page } from 'playwright-core'
import { newEmail, password } from '../support/auth/auth-tenant.ts'
import { eventually } from '../support/world.ts'
import { type ExamplesWorld, openExamplesWorld, type RunningExample } from './examples-world.ts'

const opened = new AsyncDisposableStack()
let mails: MailCatcher
let world: ExamplesWorld
let tenant: Tenant
let app: RunningExample
let page: Page

beforeAll(async () => {
  mails = opened.use(await startMailCatcher())
  world = opened.use(await openExamplesWorld(['nextjs-app'], { SMTP_URL: mails.url }))
  tenant = await newTenant()
  app = await world.start('nextjs-app', {
    NEXT_PUBLIC_SUREHOOK_URL: world.url,
    NEXT_PUBLIC_SUREHOOK_PROJECT: tenant.projectId,
    WEBHOOK_SECRETS: JSON.stringify([defaultSecret]),
    NEXT_TELEMETRY_DISABLED: '1',
  })
  const browser = opened.use(await openBrowser(process.env))
  // The browser does not know the authority of the tests.
  page = await browser.newPage({ ignoreHTTPSErrors: true })
  page.setDefaultTimeout(patienceMs)
})
afterAll(() => opened.disposeAsync())

/** An environment whose users may read and create orders. */
async function newTenant(): Promise<Tenant> {
  const created = await createTenant(world.system)
  const path = `/${created.projectId}/environments/${created.environment}`
  expectStatus(201, await admin(world.system, `POST ${path}/roles`, { name: 'clerk' }))
  expectStatus(200, await admin(world.system, `PUT ${path}`, { auth: { defaultRole: 'clerk' } }))
  const columns = [{ name: 'customer', type: 'text', required: true }]
  const access = { read: ['clerk'], create: ['clerk'] }
  expectStatus(200, await created.rest('PUT _tables/orders', { columns, access }))
  return created
}

it('the types are correct', async () => {
  expect(await world.run('nextjs-app', 'npm run check')).toMatchObject({ code: 0 })
})

it('a user signs up, logs in and creates an order, and the webhook route gets it', async () => {
  const { id } = await tenant.subscribe(`${app.url}/hooks`)
  const email = newEmail()
  await page.goto(app.url)
  // Nobody is signed in.
  await page.waitForURL('**/login')
  await fill({ 'E-mail': email, Password: 'short' }, 'Sign up')
  await expectProblem(/password/)
  await fill({ 'E-mail': email, Password: password }, 'Sign up')
  const { code } = await mails.waitFor(email, { codes: true })
  await fill({ Code: code ?? '' }, 'Confirm')
  await page.waitForURL('**/orders')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.waitForURL('**/login')
  await fill({ 'E-mail': email, Password: `not ${password}` }, 'Log in')
  await expectProblem(/password is wrong/)
  await fill({ 'E-mail': email, Password: password }, 'Log in')
  await page.waitForURL('**/orders')

  await fill({ Customer: 'Ada' }, 'Create')
  await page.getByRole('listitem').filter({ hasText: 'Ada' }).waitFor()
  // The session and the record are kept.
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'Ada' }).waitFor()

  const log = await eventually(
    () => tenant.deliveries(id),
    ([newest]) => newest?.status === 'delivered',
  )
  expect(log).toMatchObject([{ httpStatus: 204 }])
  expect(app.out()).toMatch(/INSERT of the order \S+ of Ada/)
  // `next dev` compiles each page at its first visit, which takes long on a busy machine.
})

it('the route handles a delivery once, and refuses a wrong signature', async () => {
  // The subscription of the other test gets nothing of this environment.
  const own = await newTenant()
  const { id } = await own.subscribe(`${app.url}/hooks`)
  await own.insert({ customer: 'Grace' })
  const delivered = (count: number) =>
    eventually(
      () => own.deliveries(id),
      (all) => all.filter(({ status }) => status === 'delivered').length === count,
    )
  const [first] = await delivered(1)
  expectStatus(202, await own.webhooks(`POST /${id}/deliveries/${first?.id}/redeliver`))
  await delivered(2)
  expect(app.out().match(/of Grace/g)).toHaveLength(1)

  const other = await own.subscribe(`${app.url}/hooks`, { secret: 'of somebody else' })
  await own.insert({ customer: 'Mallory' })
  const [refused] = await eventually(
    () => own.deliveries(other.id),
    ([newest]) => newest?.status === 'dead_letter',
  )
  expect(refused).toMatchObject({ httpStatus: 401 })
})

/** Fills the fields of the form, and presses a button. */
async function fill(fields: Record<string, string>, button: string): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: button }).click()
}

const expectProblem = (wanted: RegExp) =>
  page.getByRole('alert').filter({ hasText: wanted }).waitFor()
