import { mkdir, rm, writeFile } from 'node:fs/promises'
import { apiNames, openApiDocument } from '@surehook/contracts/openapi/openapi'
import type { OpenApiDocument } from '@surehook/contracts/openapi/reference/openapi-document'
import { commands } from 'surehook/commands/commands'
import { repoRoot } from '../../lib/paths.ts'
import { cliPage } from '../../reference/cli-page.ts'
import { httpPages } from '../../reference/http/http-pages.ts'
import { overviewPage } from '../../reference/http/overview-page.ts'

/**
 * Part of `npm run docs` and `check:docs`: writes the pages that only the site has, because nobody
 * reviews them. Other pages link to what they are made of: the OpenAPI documents and the list of
 * commands.
 */
const dir = `${repoRoot}/docs/reference`

const documents = Object.fromEntries(
  apiNames.map((name) => [name, openApiDocument(name) as OpenApiDocument]),
)
await rm(`${dir}/http`, { recursive: true, force: true })
await mkdir(`${dir}/http`, { recursive: true })
await writeFile(`${dir}/http/index.md`, overviewPage(documents))
for (const [name, page] of httpPages(Object.values(documents))) {
  await writeFile(`${dir}/http/${name}`, page)
}
await writeFile(`${dir}/cli.md`, cliPage(commands))
