import { mkdir, rm, writeFile } from 'node:fs/promises'
import { apiNames, openApiDocument } from '@surehook/contracts/openapi/openapi'
import { repoRoot } from '../../lib/paths.ts'
import { httpPages } from '../../reference/http/http-pages.ts'
import type { OpenApiDocument } from '../../reference/http/openapi-document.ts'
import { overviewPage } from '../../reference/http/overview-page.ts'

/** Part of `npm run generate`: the pages of the reference that follow from code. */
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
