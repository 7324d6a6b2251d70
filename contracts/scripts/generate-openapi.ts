import { writeFile } from 'node:fs/promises'
import { apiNames, openApiDocument } from '../src/openapi/openapi.ts'

for (const name of apiNames) {
  const file = new URL(`../openapi/${name}.json`, import.meta.url)
  await writeFile(file, `${JSON.stringify(openApiDocument(name), null, 2)}\n`)
}
