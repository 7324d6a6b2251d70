import type { Locator, Page } from 'playwright-core'

/** Finds and uses what pages of the console have in common. `page` returns the page of the test. */
export function onPage(page: () => Page) {
  const button = (name: string | RegExp): Locator => page().getByRole('button', { name })
  return {
    button,
    /** A string must be the whole name. */
    link: (name: string | RegExp): Locator =>
      page().getByRole('link', { name, exact: typeof name === 'string' }),
    /** A string must be the whole name. */
    heading: (name: string | RegExp): Locator =>
      page().getByRole('heading', { level: 1, name, exact: typeof name === 'string' }),
    inDialog: (name: string): Locator => page().getByRole('dialog').getByRole('button', { name }),
    /** The rows of a list that open a page. */
    rows: (): Locator => page().locator('[data-row-link]'),
    /** Chooses an action of a menu: of the page, or of the row that is named. */
    async choose(action: string, row?: string): Promise<void> {
      await button(row === undefined ? 'More' : `Actions of ${row}`).click()
      await page().getByRole('menuitem', { name: action, exact: true }).click()
    },
  }
}
