import { readFile, writeFile } from 'node:fs/promises'
import { repoRoot } from '../../lib/paths.ts'
import { installationPages, withInstallation } from '../../release/installation.ts'

/** Part of `npm run generate`: writes how to install the packages into the pages that say it. */
for (const page of await installationPages()) {
  const file = `${repoRoot}/${page}`
  await writeFile(file, withInstallation(await readFile(file, 'utf8')))
}
