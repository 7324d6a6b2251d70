import { writeFile } from 'node:fs/promises'
import { readVariables, variablesPage } from 'surehook/configuration/variable-table'
import { repoRoot } from '../../lib/paths.ts'

/** Part of `npm run generate`: writes the page of all variables. */
const page = variablesPage(await readVariables())
await writeFile(`${repoRoot}/docs/reference/configuration.md`, page)
