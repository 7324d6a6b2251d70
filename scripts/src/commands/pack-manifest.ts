import { existsSync } from 'node:fs'
import { copyFile, rename, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { repoRoot } from '../lib/paths.ts'
import { manifestOf, publishedManifest, workspaces } from '../release/pack-package.ts'

/**
 * `prepack` and `postpack` of a package whose manifest names private packages: between the two, its
 * `package.json` is the published one, so that `npm pack` writes an archive that can be installed.
 */
const kept = 'package.json.before-pack'

if (process.argv[2] === 'restore') await rename(kept, 'package.json')
else {
  // An earlier `npm pack` may have ended between the two.
  if (existsSync(kept)) await copyFile(kept, 'package.json')
  else await copyFile('package.json', kept)
  const published = publishedManifest(
    await manifestOf(relative(repoRoot, process.cwd())),
    await workspaces(),
  )
  await writeFile('package.json', `${JSON.stringify(published, null, 2)}\n`)
}
