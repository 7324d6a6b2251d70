import { expect, it } from '@jest/globals'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/world.ts'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) => tenant.putTable('orders'))
const { button, link, heading } = under

/** Subscribes receivers that refuse everything, and makes a dead letter for each. */
async function failEverywhere(receivers: number): Promise<void> {
  const { receiver } = under.console.world
  const paths = Array.from({ length: receivers }, (_, n) => `/${under.tenant.projectId}/${n}`)
  for (const path of paths) receiver.answer(path, () => ({ status: 500 }))
  const made = await Promise.all(
    paths.map((path) =>
      under.tenant.subscribe(receiver.url(path), { policy: { retryDelays: ['100ms'] } }),
    ),
  )
  await under.tenant.insert({ note: 'new' })
  for (const { id } of made) {
    await eventually(
      () => under.tenant.deliveries(id),
      (all) => all.some(({ status }) => status === 'dead_letter'),
    )
  }
}

/** How many lines the links, texts and buttons of an item take. */
async function linesOf(item: Locator): Promise<number> {
  const parts = await item.locator('a, p, button').all()
  const boxes = await Promise.all(parts.map((part) => part.boundingBox()))
  const middles = boxes.map((box) => (box === null ? 0 : box.y + box.height / 2))
  const sorted = middles.toSorted((a, b) => a - b)
  return sorted.filter((middle, n) => n === 0 || middle - (sorted[n - 1] ?? 0) > 8).length
}

it('lists what needs attention by URL, below the numbers', async () => {
  await failEverywhere(7)
  await signIn(under.page, under.tenant)
  const troubles = under.page.locator('.trouble')
  await button('and 2 more').waitFor()
  expect(await troubles.count()).toBe(5)
  const numbers = await under.page.locator('.stats').boundingBox()
  const first = await troubles.first().boundingBox()
  expect((numbers?.y ?? 0) + (numbers?.height ?? 0)).toBeLessThan(first?.y ?? 0)
  expect(first?.y ?? 0).toBeLessThan(900)
  await troubles.first().getByRole('link', { name: '1 dead letter' }).waitFor()

  await under.page.setViewportSize({ width: 390, height: 800 })
  expect(await linesOf(troubles.first())).toBe(3)
  await under.page.setViewportSize({ width: 1440, height: 900 })

  await button('and 2 more').click()
  expect(await troubles.count()).toBe(7)
  expect(await troubles.nth(5).locator(':focus').count()).toBe(1)
  await troubles.first().getByRole('link', { name: '1 dead letter' }).click()
  await heading('Deliveries').waitFor()
  expect(under.faults).toEqual([])
})

it('shows no webhook with many dead letters as healthy', async () => {
  await failEverywhere(1)
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await under.page.getByRole('cell', { name: /Dead letters|Circuit open/ }).waitFor()
  expect(await under.page.locator('.badge.good').count()).toBe(0)
})

it('opens in a browser whose language is no valid tag', async () => {
  await under.page.addInitScript(
    "Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })",
  )
  const { id } = await under.tenant.subscribe(
    under.console.world.receiver.url(`/${under.tenant.projectId}`),
  )
  await under.tenant.insert({ note: 'new' })
  await eventually(
    () => under.tenant.deliveries(id),
    ([first]) => first?.status === 'delivered',
  )
  await under.page.reload()
  expect(await under.page.evaluate('navigator.language')).toBe('en-US@posix')
  await signIn(under.page, under.tenant)
  await under.page.getByText('The numbers as a table').waitFor()
  await link('Webhooks').click()
  await link(new RegExp(under.tenant.projectId)).click()
  await under.page.getByText('The numbers as a table').waitFor()
  expect(under.faults).toEqual([])
})
