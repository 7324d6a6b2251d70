import type { Page } from 'playwright-core'
import type { Interaction } from './probe.ts'

const isNewList = 'window.probe.isNewList()'
const hasTitle = (title: string) => `(document.querySelector('h1')?.textContent === '${title}')`
const hasRows = `document.querySelector('[data-row-link]') !== null`

const choose = (label: string, value: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).selectOption(value)
const follow = (name: string) => (page: Page) =>
  page.getByRole('link', { name, exact: true }).first().click()

/** What somebody does with the lists, in turn. It begins on the overview. */
export function interactionsOf(recordId: string): readonly Interaction[] {
  const nextPage: Interaction = {
    name: 'next page',
    act: follow('Next page'),
    isDone: isNewList,
  }
  return [
    { name: 'open the deliveries', act: follow('Deliveries'), isDone: hasRows },
    nextPage,
    nextPage,
    nextPage,
    { name: 'first page', act: follow('First page'), isDone: isNewList },
    { name: 'filter by status', act: choose('Status', 'dead_letter'), isDone: isNewList },
    {
      name: 'open a delivery',
      act: (page) => page.locator('[data-row-link]').first().click(),
      isDone: `${hasTitle('Delivery')} && document.body.textContent.includes('Attempt 1')`,
    },
    {
      name: 'back to the list',
      act: (page) => page.evaluate('window.probe.at = performance.now(); history.back()'),
      isDone: `${hasTitle('Deliveries')} && ${hasRows}`,
    },
    { name: 'filter by failure', act: choose('Failure', 'timeout'), isDone: isNewList },
    {
      name: 'clear the filters',
      act: (page) => page.getByRole('button', { name: 'Clear the filters' }).click(),
      isDone: isNewList,
    },
    {
      name: 'filter by record, with Enter',
      act: async (page) => {
        await page.getByLabel('Record id').fill(recordId)
        await page.getByLabel('Record id').press('Enter')
      },
      isDone: `${isNewList} && document.querySelectorAll('[data-row-link]').length > 1`,
    },
    {
      name: 'open the webhooks',
      act: follow('Webhooks'),
      isDone: `${hasTitle('Webhooks')} && document.querySelector('td') !== null`,
    },
    {
      name: 'open a webhook',
      act: (page) => page.locator('td a').first().click(),
      isDone: `!${hasTitle('Webhooks')} && ${hasRows}`,
    },
  ]
}
