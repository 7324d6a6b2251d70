import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }

const source = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What axe finds on the page, a line for each place. Scripts of the debugger pass the page's
 * policy.
 */
export async function faultsOfAccess(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html} ${failureSummary}`),
  )
}
