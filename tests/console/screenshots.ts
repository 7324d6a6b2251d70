import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openWorldWithStack } from '../support/world.ts'
import {
  type ConsoleWorld,
  openConsole,
  signIn,
  signInAsOperator,
} from './support/console-world.ts'
import { type ConsolePageCase, developerPages, operatorPages } from './support/pages.ts'
import { type Seeded, seed } from './support/seed.ts'

/** `npm run console:screenshots`: pictures of every page, in both themes and two widths. */
const dir = fileURLToPath(new URL('../../.local/console-screenshots/', import.meta.url))
const themes = ['light', 'dark'] as const
const sizes = [
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
] as const

await mkdir(dir, { recursive: true })
await using world = await openConsole(openWorldWithStack, {
  env: { WEBHOOK_CIRCUIT_COOLDOWN: '2m' },
})
const seeded = await seed(world.world, await world.world.tenant({ projectId: 'shop' }), 9)
for (const theme of themes) {
  for (const [size, viewport] of sizes) await takeAll(world, seeded, { theme, size, viewport })
}
console.log(`screenshots are in ${dir}`)

type Look = {
  theme: (typeof themes)[number]
  size: string
  viewport: { width: number; height: number }
}

async function takeAll(opened: ConsoleWorld, data: Seeded, look: Look): Promise<void> {
  const options = { colorScheme: look.theme, viewport: look.viewport }
  const { page } = await opened.open('', options)
  await take(page, 'sign-in', look)
  await signIn(page, data.tenant, { stay: true })
  await takePages(page, developerPages, data, look)
  const operator = await opened.open('', options)
  await signInAsOperator(operator.page, opened.world.system.adminToken)
  await takePages(operator.page, operatorPages, data, look)
  await page.context().close()
  await operator.page.context().close()
}

async function takePages(
  page: Page,
  cases: readonly ConsolePageCase[],
  data: Seeded,
  look: Look,
): Promise<void> {
  const { origin } = new URL(page.url())
  for (const { name, path, shows, isLive } of cases) {
    await page.goto(`${origin}/console/${path(data)}`)
    await page
      .getByText(shows)
      .first()
      .waitFor({ timeout: 10_000 })
      .catch((err: unknown) => {
        // Its picture shows why.
        process.exitCode = 1
        console.error(`${name}: ${String(err)}`)
      })
    if (isLive !== true) await page.waitForLoadState('networkidle')
    await take(page, name, look)
  }
}

function take(page: Page, name: string, { theme, size }: Look): Promise<Buffer> {
  return page.screenshot({ path: `${dir}${name}-${size}-${theme}.png`, fullPage: true })
}
