import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Returns the page of the site that is made of a file of the repository, or `null`: of an OpenAPI
 * document (the anchor is a tag or an operation), or of the list of commands. So a link leads to
 * the file on GitHub, and to the page on the site. Throws if no page has the anchor.
 */
export function sitePageOf(file: string, anchor: string, docsDir: string): string | null {
  if (file === 'packages/cli/src/commands/commands.ts') {
    return withAnchor(docsDir, 'reference/cli.md', anchor)
  }
  if (file === 'contracts/openapi') return withAnchor(docsDir, 'reference/http/index.md', anchor)
  if (!file.startsWith('contracts/openapi/')) return null
  const pages = readdirSync(`${docsDir}/reference/http`).map((name) => `reference/http/${name}`)
  const ofTag = pages.find((page) => basename(page, '.md') === anchor)
  if (ofTag !== undefined) return ofTag
  const page = pages.find((one) => anchorsOf(`${docsDir}/${one}`).has(anchor))
  if (page === undefined) throw new Error(`no page about ${file} has the heading #${anchor}`)
  return `${page}#${anchor}`
}

function withAnchor(docsDir: string, page: string, anchor: string): string {
  if (anchor === '') return page
  if (!anchorsOf(`${docsDir}/${page}`).has(anchor)) throw new Error(`${page} has no #${anchor}`)
  return `${page}#${anchor}`
}

const anchorsOf = (file: string): Set<string> =>
  new Set(
    Array.from(readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
        .replaceAll(/^-|-$/g, ''),
    ),
  )
