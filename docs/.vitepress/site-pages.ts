import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Returns the page of the site that is made of a part of the repository, or `null`: of the OpenAPI
 * documents (the anchor is a tag or an operation), or of the commands. The pages are not in git.
 * Links therefore name a README, which says on GitHub where to look. Throws if no page has the
 * anchor.
 */
export function sitePageOf(file: string, anchor: string, docsDir: string): string | null {
  if (file === 'packages/cli/README.md') {
    if (anchor === '') return 'reference/command.md'
    if (!anchorsOf(`${docsDir}/${commandsPage}`).has(anchor)) {
      throw new Error(`${commandsPage} has no #${anchor}`)
    }
    return `${commandsPage}#${anchor}`
  }
  if (/^contracts\/openapi\/\w+\.json$/.test(file)) {
    throw new Error(`link contracts/openapi/README.md#${anchor}: nobody reads ${file} in a browser`)
  }
  if (file !== 'contracts/openapi/README.md') return null
  if (anchor === '') return 'reference/http/index.md'
  const pages = readdirSync(`${docsDir}/reference/http`).map((name) => `reference/http/${name}`)
  const ofTag = pages.find((page) => basename(page, '.md') === anchor)
  if (ofTag !== undefined) return ofTag
  const page = pages.find((one) => anchorsOf(`${docsDir}/${one}`).has(anchor))
  if (page === undefined) throw new Error(`no page about ${file} has the heading #${anchor}`)
  return `${page}#${anchor}`
}

const commandsPage = 'reference/cli.md'

const anchorsOf = (file: string): Set<string> =>
  new Set(
    Array.from(readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
        .replaceAll(/^-|-$/g, ''),
    ),
  )
