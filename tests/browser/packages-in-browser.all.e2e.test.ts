import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type AuthChange, SurehookAuth } from '@surehook/auth'
import type { Surehook } from '@surehook/client'
import { openBrowser } from '@surehook/scripts/browser/open-browser'
import { expectStatus } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { bundleForBrowsers } from '@surehook/scripts/published/browser-bundle'
import { installPackages } from '@surehook/scripts/published/installed-packages'
import { nodesOf } from '@surehook/scripts/published/node-versions'
import { patienceMs } from '@surehook/testing/until'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type AuthTenant, newEmail, password } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { compileExample } from '../support/commands/readme-example.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
import { isRefresh, RefreshWatch } from './refresh-watch.ts'
import { serveOrigin } from './serve-origin.ts'

/** What the scripts of the page have. */
declare const packages: { SurehookAuth: typeof SurehookAuth; Surehook: typeof Surehook }
declare let auth: SurehookAuth
declare let changes: AuthChange[]
declare let load: { stop: boolean; answers: number[]; done: Promise<unknown> }

const opened = new AsyncDisposableStack()
let world: SharedAuthWorld
let browser: Browser
let origin: string

beforeAll(async () => {
  const code = `
    export { SurehookAuth } from '@surehook/auth'
    export { Surehook } from '@surehook/client'`
  const bundle = await bundleForBrowsers(code, `${repoRoot}/tests`)
  const html = `<!doctype html><title>A frontend</title><script type="module">
    import * as packages from '/packages.js'
    Object.assign(globalThis, { packages })</script>`
  const script = { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' }
  const headers = { 'Content-Type': 'text/html' }
  const sandboxed = { ...headers, 'Content-Security-Policy': 'sandbox allow-scripts' }
  const served = await serveOrigin({
    '/': { body: html, headers },
    '/blocked': { body: html, headers: sandboxed },
    '/packages.js': { body: bundle, headers: script },
  })
  origin = opened.use(served).origin
  browser = opened.use(await openBrowser(process.env))
  world = opened.use(await openSharedAuthWorld())
})
afterAll(() => opened.disposeAsync())

/** An environment whose users may read and create orders. Refresh tokens work once. */
async function newTenant(settings: object = {}): Promise<AuthTenant> {
  const [[, transport]] = transports as readonly [(typeof transports)[0]]
  const tenant = await world.tenant(transport, { auth: { emailVerification: false } })
  expectStatus(201, await tenant.admin('POST', '/roles', { name: 'clerk' }))
  await tenant.configure({ defaultRole: 'clerk', ...settings })
  const manager = await createTenant(world.system, { projectId: tenant.projectId })
  const columns = [
    { name: 'customer', type: 'text' },
    { name: 'status', type: 'text' },
    { name: 'total', type: 'decimal' },
  ]
  const access = { read: ['clerk'], create: ['clerk'] }
  expectStatus(200, await manager.rest('PUT _tables/orders', { columns, access }))
  return tenant
}

/** A tab of the frontend. */
async function openTab(context: BrowserContext, tenant: AuthTenant, path = '/'): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(origin + path)
  await page.waitForFunction(() => 'packages' in globalThis)
  const { projectId } = tenant
  await page.evaluate(
    (options) => {
      const own = new packages.SurehookAuth(options)
      const seen: AuthChange[] = []
      own.onChange((change) => seen.push(change))
      Object.assign(globalThis, { auth: own, changes: seen })
    },
    { baseUrl: world.system.baseUrl, projectId },
  )
  return page
}

/** Opens two tabs of a new user, who logs in in the first one. */
async function openTwoTabs(tenant: AuthTenant) {
  const context = await browser.newContext()
  opened.defer(() => context.close())
  const { email } = await tenant.newUser()
  const [first, second] = [await openTab(context, tenant), await openTab(context, tenant)]
  const credentials = { email, password }
  expect(await first.evaluate((own) => auth.login(own), credentials)).toMatchObject({ email })
  return { context, first, second, email }
}

/** Three calls at once, again and again. */
const startLoad = (page: Page) =>
  page.evaluate(() => {
    const own: typeof load = { stop: false, answers: [], done: Promise.resolve() }
    async function callOn(): Promise<void> {
      while (!own.stop) {
        own.answers.push((await auth.fetch('/gw/api/rest/orders')).status)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    own.done = Promise.all([callOn(), callOn(), callOn()])
    Object.assign(globalThis, { load: own })
  })

const endLoad = (page: Page) =>
  page.evaluate(async () => {
    load.stop = true
    await load.done
    return { statuses: [...new Set(load.answers)], types: [...new Set(changes.map((c) => c.type))] }
  })

const typesIn = (page: Page) => page.evaluate(() => changes.map(({ type }) => type))

it('two tabs refresh at once many times, and nobody is signed out until the logout', async () => {
  const tenant = await newTenant({ accessTokenTtl: 2 })
  const { context, first, second } = await openTwoTabs(tenant)
  const watch = new RefreshWatch(context)
  for (const page of [first, second]) await startLoad(page)
  await eventually(
    async () => watch.tokens.length,
    (count) => count >= 6,
  )
  const ends = [await endLoad(first), await endLoad(second)]
  expect(ends.map(({ statuses }) => statuses)).toEqual([[200], [200]])
  for (const { types } of ends) expect(types).toEqual(['signedIn', 'refreshed'])
  expect(watch.mostAtOnce).toBe(1)
  expect(new Set(watch.tokens).size).toBe(watch.tokens.length)

  await first.evaluate(() => auth.logout())
  await second.waitForFunction(() => changes.at(-1)?.type === 'signedOut')
  expect(await second.evaluate(() => changes.at(-1))).toEqual({
    type: 'signedOut',
    reason: 'logout',
  })
  const refused = await second.evaluate(() => auth.accessToken().catch((err: Error) => err.name))
  expect([refused, await second.evaluate(() => auth.currentUser())]).toEqual([
    'SignedOutError',
    null,
  ])
})

it('a tab takes over from one that was closed before it had the answer', async () => {
  const tenant = await newTenant({ accessTokenTtl: 2, refreshReuseInterval: 30 })
  const { first, second, email } = await openTwoTabs(tenant)
  const exchanged = Promise.withResolvers<void>()
  await first.route('**/auth/refresh-token', async (route) => {
    if (isRefresh(route.request())) expect((await route.fetch()).status()).toBe(200)
    exchanged.resolve()
    await first.close()
  })
  await startLoad(first)
  await exchanged.promise
  const status = () => auth.fetch('/gw/api/rest/orders').then((answer) => answer.status)
  expect(await second.evaluate(status)).toBe(200)
  expect(await second.evaluate(() => auth.me())).toMatchObject({ email })
  expect(await typesIn(second)).toEqual(['signedIn', 'refreshed'])
})

it('a page whose browser blocks the storage signs in for itself', async () => {
  const tenant = await newTenant()
  const { first } = await openTwoTabs(tenant)
  const page = await openTab(first.context(), tenant, '/blocked')
  expect(await page.evaluate(() => auth.currentUser())).toBeNull()
  const { email } = await tenant.newUser()
  await page.evaluate((own) => auth.login(own), { email, password })
  const status = () => auth.fetch('/gw/api/rest/orders').then((answer) => answer.status)
  expect(await page.evaluate(status)).toBe(200)
  expect(await typesIn(first)).toEqual(['signedIn'])
})

it('the client writes and reads a record in a browser', async () => {
  const tenant = await newTenant()
  const { first } = await openTwoTabs(tenant)
  const record = await first.evaluate(
    async (options) => {
      const token = () => auth.accessToken()
      const surehook = new packages.Surehook({ ...options, token, fetch: auth.fetch })
      const orders = surehook.table<{ status: string }>('orders')
      return orders.get((await orders.create({ status: 'new' })).id)
    },
    { baseUrl: world.system.baseUrl, projectId: tenant.projectId },
  )
  expect(record).toMatchObject({ status: 'new', id: expect.any(String) })
})

it('an account: code, names, sessions, a new password, a forgotten one', async () => {
  const tenant = await newTenant({ emailVerification: true })
  const { projectId, mailbox } = tenant
  await using stack = new AsyncDisposableStack()
  const newAuth = () => {
    const { baseUrl } = world.system
    return stack.adopt(new SurehookAuth({ baseUrl, projectId }), (own) => own.close())
  }
  const [here, there] = [newAuth(), newAuth()]
  const email = newEmail()
  expect(await here.settings()).toMatchObject({ emailVerification: true })
  await here.signup({ email, password })
  await mailbox.nextCode(email)
  await here.resendCode({ email })
  const code = await mailbox.nextCode(email)
  expect(await here.confirm({ email, code })).toMatchObject({ email, roles: ['clerk'] })
  await there.login({ email, password })

  expect(await here.update({ firstName: 'Ada' })).toMatchObject({ firstName: 'Ada' })
  expect(await here.currentUser()).toMatchObject({ firstName: 'Ada' })
  const { sessions } = await here.sessions()
  expect(sessions.map(({ current }) => current).sort()).toEqual([false, true])
  await here.endSession(sessions.find(({ current }) => !current)?.id ?? '')
  await expect(there.me()).rejects.toMatchObject({ name: 'SignedOutError', code: 'SIGNED_OUT' })

  const newPassword = 'battery horse correct'
  const wrong = here.changePassword({ oldPassword: 'wrong', newPassword })
  await expect(wrong).rejects.toMatchObject({ code: 'AUTH_INVALID_CREDENTIALS', status: 401 })
  const common = here.changePassword({ oldPassword: password, newPassword: 'password' })
  await expect(common).rejects.toMatchObject({
    name: 'ValidationError',
    violations: [{ field: 'newPassword', rule: 'common' }],
    requestId: expect.any(String),
  })
  await here.changePassword({ oldPassword: password, newPassword })
  await here.recover({ email })
  await here.reset({ email, newPassword: password, code: await mailbox.nextCode(email) })
  await expect(here.accessToken().then(() => here.me())).rejects.toMatchObject({
    code: 'SIGNED_OUT',
  })
  await here.login({ email, password })
})

it('the example of the README runs as printed, from the packed package', async () => {
  await using installed = await installPackages(['auth'])
  const program = await readFile(await compileExample(installed, 'auth'), 'utf8')
  const { baseUrl } = world.system
  for (const [version, node] of await nodesOf(process.env['PATH'] ?? '')) {
    const { projectId } = await newTenant()
    const own = program
      .replace('http://localhost:8080', baseUrl)
      .replace("'shop'", `'${projectId}'`)
    await installed.write('own.js', own)
    const output = await installed.run(node, 'own.js')
    expect([version, output]).toEqual([
      version,
      'signedIn\nHello Ada\norder: 201\norders: 200\nsignedOut\n',
    ])
  }
})
