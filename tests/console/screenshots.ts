import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openWorldWithStack } from '../support/world.ts'
import {
  type ConsoleWorld,
  openConsole,
  signIn,
  signInAsOperator,
} from './support/console-world.ts'
import { type ConsolePageCase, developerPages, operatorPages } from './support/pages.ts'
import { addPastDay } from './support/past-day.ts'
import { type SeededProject, seed } from './support/seed.ts'
import { hostileWords, pleasantWords } from './support/words.ts'

/** `npm run console:screenshots`: pictures of every page, in both themes and three widths. */
const { values: options } = parseArgs({
  options: {
    /** A part of the names of the pages to take. */
    only: { type: 'string', default: '' },
    /** With pleasant texts. */
    pleasant: { type: 'boolean', default: false },
    /** Only the pictures of the docs, with pleasant texts. */
    docs: { type: 'boolean', default: false },
  },
})
const dir = fileURLToPath(new URL('../../.local/console-screenshots/', import.meta.url))
const docsDir = fileURLToPath(new URL('../../docs/guides/images/', import.meta.url))
const themes = ['light', 'dark'] as const
const sizes = [
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 360, height: 740 }],
  ['large', { width: 2560, height: 1440 }],
] as const
const [wide] = sizes

type Theme = (typeof themes)[number]
type Look = { theme: Theme; viewport: { width: number; height: number } }

/** A file, and the part of the page that it shows. */
type Picture = { path: string; clip?: NonNullable<Part> }
type Part = NonNullable<Parameters<Page['screenshot']>[0]>['clip']
type DocsPicture = readonly [page: string, theme: Theme, file: string, part?: Part]

/** The head of the page of a delivery, with its attempts and the last answer. */
const attempts = { x: 232, y: 16, width: 1208, height: 716 }

/** The pictures of the docs: a page, its theme, the name of the file, and a part of the page. */
const docsPictures: readonly DocsPicture[] = [
  ['overview', 'light', 'console-overview'],
  ['webhook-edit', 'light', 'console-preview'],
  ['dead-letter', 'dark', 'console-delivery'],
  ['dead-letter', 'dark', 'delivery-attempts', attempts],
]

await mkdir(dir, { recursive: true })
await using opened = await openConsole(openWorldWithStack, {
  env: { WEBHOOK_CIRCUIT_COOLDOWN: options.docs ? '2m' : '10m' },
})
const seeded = await seedShop()
if (options.docs) await takeDocs(seeded)
else {
  for (const theme of themes) {
    for (const [size, viewport] of sizes) {
      await takeAll({ theme, viewport }, (name) => `${dir}${name}-${size}-${theme}.png`)
    }
  }
}
console.log(`screenshots are in ${options.docs ? docsDir : dir}`)

async function seedShop(): Promise<SeededProject> {
  const { world } = opened
  const tenant = await world.tenant({ projectId: 'shop' })
  const isPleasant = options.docs || options.pleasant
  if (isPleasant) await tenant.putTable('invoices')
  const words = isPleasant ? pleasantWords : hostileWords
  const made = await seed(world, tenant, { orders: 9, words })
  await addPastDay(world.system.endpoints.databaseUrl, { projectId: 'shop', ...made })
  return made
}

async function takeDocs(data: SeededProject): Promise<void> {
  for (const [name, theme, file, part] of docsPictures) {
    const { page } = await open({ theme, viewport: wide[1] })
    await signIn(page, data.tenant, { stay: true })
    const cases = developerPages.filter((one) => one.name === name)
    await takePages(page, cases, () => ({
      path: `${docsDir}${file}.png`,
      ...(part && { clip: part }),
    }))
    await page.context().close()
  }
}

async function takeAll(look: Look, fileOf: (name: string) => string): Promise<void> {
  const { page } = await open(look)
  const pictureOf = (name: string) => ({ path: fileOf(name) })
  if ('sign-in'.includes(options.only)) await take(page, pictureOf('sign-in'))
  await signIn(page, seeded.tenant, { stay: true })
  await takePages(page, developerPages.filter(isAsked), pictureOf)
  const operator = await open(look)
  await signInAsOperator(operator.page, opened.world.system.adminToken)
  await takePages(operator.page, operatorPages.filter(isAsked), pictureOf)
  await page.context().close()
  await operator.page.context().close()
}

function isAsked({ name }: ConsolePageCase): boolean {
  return name.includes(options.only)
}

function open({ theme, viewport }: Look): ReturnType<ConsoleWorld['open']> {
  return opened.open('', { colorScheme: theme, viewport })
}

async function takePages(
  page: Page,
  cases: readonly ConsolePageCase[],
  pictureOf: (name: string) => Picture,
): Promise<void> {
  const { origin } = new URL(page.url())
  for (const { name, path, shows, isLive } of cases) {
    await page.goto(`${origin}/console/${path(seeded)}`)
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
    await take(page, pictureOf(name))
  }
}

function take(page: Page, picture: Picture): Promise<Buffer> {
  return page.screenshot({ ...picture, fullPage: true })
}
