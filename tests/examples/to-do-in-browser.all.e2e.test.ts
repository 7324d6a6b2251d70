import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import { openBrowser } from '@surehook/scripts/browser/open-browser'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { patienceMs } from '@surehook/testing/until'
import type { Browser, Page } from 'playwright-core'
import { newEmail, password } from '../support/auth/auth-tenant.ts'
import { eventually } from '../support/world.ts'
import { type ExamplesWorld, openExamplesWorld, type RunningExample } from './examples-world.ts'
import { openTlsFront, type TlsFront } from './tls-front.ts'

const opened = new AsyncDisposableStack()
let world: ExamplesWorld
let tenant: Tenant
let app: RunningExample
let browser: Browser
/** Between the browser and the gateway. */
let front: TlsFront
let openFront: () => Promise<void>

beforeAll(async () => {
  world = opened.use(await openExamplesWorld(['to-do']))
  tenant = await createTenant(world.system)
  const path = `/${tenant.projectId}/environments/${tenant.environment}`
  const settings = { auth: { emailVerification: false } }
  expectStatus(200, await admin(world.system, `PUT ${path}`, settings))
  const columns = [
    { name: 'title', type: 'text', required: true },
    { name: 'done', type: 'boolean', default: false },
  ]
  expectStatus(200, await tenant.rest('PUT _tables/tasks', { columns, access: 'owner' }))
  const to = Number(new URL(world.system.baseUrl).port)
  front = await openTlsFront(world.certificates, { to })
  const port = Number(new URL(front.url).port)
  openFront = async () => {
    front = await openTlsFront(world.certificates, { to, port })
  }
  opened.defer(() => front[Symbol.asyncDispose]())
  app = await world.start('to-do', {
    SUREHOOK_URL: front.url,
    SUREHOOK_PROJECT: tenant.projectId,
  })
  browser = opened.use(await openBrowser(process.env))
})
afterAll(() => opened.disposeAsync())

it('the types are correct', async () => {
  expect(await world.run('to-do', 'npm run check')).toMatchObject({ code: 0 })
})

/** A browser of a new user, who signs up there. */
async function newUser() {
  // The browser does not know the authority of the tests.
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  opened.defer(() => context.close())
  context.setDefaultTimeout(patienceMs)
  const openTab = async () => {
    const page = await context.newPage()
    await page.goto(app.url)
    return page
  }
  const page = await openTab()
  const email = newEmail()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: `Tasks of ${email}` }).waitFor()
  return { page, openTab }
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('Task').fill(title)
  await page.getByRole('button', { name: 'Add' }).click()
}

const shows = (page: Page, ...titles: string[]) =>
  eventually(
    () => page.getByRole('listitem').allTextContents(),
    (shown) => shown.join() === titles.join(),
  )

it('the guide shows the code of the example', async () => {
  const read = (path: string) => readFile(`${repoRoot}/${path}`, 'utf8')
  const code =
    (await read('examples/to-do/src/surehook.ts')) + (await read('examples/to-do/src/app.ts'))
  const guide = await read('docs/guides/live-list.md')
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(1)
  for (const block of blocks) expect(code).toContain(block)
})

it('two users see their own tasks live, after a reload and a broken connection too', async () => {
  const [ada, grace] = [await newUser(), await newUser()]
  const second = await ada.openTab()
  await add(ada.page, 'Write')
  await add(grace.page, 'Debug')
  for (const page of [ada.page, second]) await shows(page, 'Write')
  await shows(grace.page, 'Debug')
  await second.getByLabel('Write').check()
  await ada.page.getByRole('checkbox', { checked: true }).waitFor()

  await second.reload()
  await shows(second, 'Write')

  await front[Symbol.asyncDispose]()
  const { projectId, environment, token } = tenant
  const { baseUrl } = world.system
  const manager = new Surehook({ projectId, environment, token, baseUrl })
  const tasks = manager.table<{ title: string }>('tasks')
  const { records } = await tasks.list({ where: { title: 'Write' } })
  for (const { id } of records) await tasks.update(id, { title: 'Write on' })
  await openFront()
  for (const page of [ada.page, second]) await shows(page, 'Write on')
  await add(second, 'Publish')
  for (const page of [ada.page, second]) await shows(page, 'Write on', 'Publish')
  await shows(grace.page, 'Debug')

  await ada.page.getByRole('button', { name: 'Log out' }).click()
  await second.getByRole('button', { name: 'Log in' }).waitFor()
  await shows(second)
})
