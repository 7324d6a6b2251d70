import { openBrowser } from '@surehook/scripts/browser/open-browser'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { patienceMs } from '@surehook/testing/until'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { TestSystem, TestSystemOptions } from '../../support/open-system.ts'
import type { SystemAddress } from '../../support/system-address.ts'
import type { World } from '../../support/world.ts'

export type ConsoleWorld<System extends SystemAddress = TestSystem> = AsyncDisposable & {
  readonly world: World<System>
  /** Opens a page of the console, which nobody signed in to. */
  open(path?: string, options?: BrowserContextOptions): Promise<ConsolePage>
}

export type ConsolePage = {
  readonly page: Page
  /** Exceptions, refused content and failed scripts of the page. */
  readonly faults: string[]
}

/** Answers that the tests cause on purpose. */
const expected = /Failed to load resource: the server responded with a status of 4\d\d/

/** Opens the services of `openWorld`, and a browser. */
export async function openConsole<System extends SystemAddress>(
  openWorld: (options: TestSystemOptions) => Promise<World<System>>,
  options: TestSystemOptions = {},
): Promise<ConsoleWorld<System>> {
  await using opening = new AsyncDisposableStack()
  const browser = opening.use(await openBrowser(process.env))
  const world = opening.use(await openWorld(options))
  const resources = opening.move()
  return {
    world,
    open: (path = '', contextOptions = {}) =>
      openPage(browser, `${world.system.baseUrl}/console/${path}`, contextOptions),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    ...options,
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (err) => faults.push(err.message))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const isFault = message.type() === 'error' && !expected.test(message.text())
    if (isFault) faults.push(message.text())
  })
  await page.goto(url)
  return { page, faults }
}

export async function signIn(page: Page, tenant: Tenant, { stay = false } = {}): Promise<void> {
  await page.getByLabel('Project').fill(tenant.projectId)
  await page.getByLabel('Environment').fill(tenant.environment)
  await page.getByLabel('Management token').fill(tenant.token)
  if (stay) await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
}

export async function signInAsOperator(page: Page, token: string): Promise<void> {
  await page.getByRole('tab', { name: 'Operator' }).click()
  await page.getByLabel('Administration token').fill(token)
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
}
