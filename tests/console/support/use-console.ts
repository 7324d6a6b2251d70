import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Page } from 'playwright-core'
import type { SharedSystem } from '../../support/shared/ask-shared.ts'
import { openSharedWorld } from '../../support/shared/shared-world.ts'
import { type ConsoleWorld, openConsole } from './console-world.ts'
import { onPage } from './on-page.ts'

export type ConsoleUnderTest = ReturnType<typeof onPage> & {
  readonly console: ConsoleWorld<SharedSystem>
  /** A new tenant for each test. */
  readonly tenant: Tenant
  /** A new page for each test. Nobody is signed in. */
  readonly page: Page
  /** Exceptions, refused content and failed scripts of the page. */
  readonly faults: readonly string[]
  /** Opens a path below `/console/` on the page. */
  goTo(path: string): Promise<unknown>
}

/**
 * Opens the console of the shared system for the tests of a file.
 * @param prepare called with each new tenant
 */
export function useConsole(
  prepare: (tenant: Tenant) => Promise<unknown> = () => Promise.resolve(),
): ConsoleUnderTest {
  const resources = new AsyncDisposableStack()
  const under = {} as { -readonly [Part in keyof ConsoleUnderTest]: ConsoleUnderTest[Part] }
  beforeAll(async () => {
    under.console = resources.use(await openConsole(openSharedWorld))
  })
  afterAll(() => resources.disposeAsync())
  beforeEach(async () => {
    under.tenant = await under.console.world.tenant()
    await prepare(under.tenant)
    const { page, faults } = await under.console.open()
    Object.assign(under, { page, faults })
  })
  const goTo = (path: string) =>
    under.page.goto(`${under.console.world.system.baseUrl}/console/${path}`)
  return Object.assign(
    under,
    onPage(() => under.page),
    { goTo },
  )
}
