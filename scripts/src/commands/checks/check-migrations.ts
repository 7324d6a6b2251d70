import { readdir, readFile } from 'node:fs/promises'
import { migrationFaults } from '../../check/migration-faults.ts'
import { repoRoot } from '../../lib/paths.ts'
import { databaseServices } from '../../system/service-catalog.ts'

/**
 * `npm run check:migrations`: checks that an older version works during and after the migrations.
 */
for (const service of databaseServices) {
  const dir = `${repoRoot}/services/${service}/migrations`
  // With those of the history, in a folder of their own.
  const names = await readdir(dir, { recursive: true })
  for (const name of names.filter((one) => one.endsWith('.sql'))) {
    for (const fault of migrationFaults(await readFile(`${dir}/${name}`, 'utf8'))) {
      console.error(`services/${service}/migrations/${name}: ${fault}`)
      process.exitCode = 1
    }
  }
}
