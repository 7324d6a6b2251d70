import { readdir, readFile } from 'node:fs/promises'
import { migrationFaults } from '../../check/migration-faults.ts'
import { repoRoot } from '../../lib/paths.ts'
import { serviceNames, serviceTraits } from '../../system/service-catalog.ts'

/**
 * `npm run check:migrations`: checks that an older version works during and after the migrations.
 */
const madeBeforeTheRule = new Set([
  'auth-service/0004-imported-hashes.sql',
  'webhook-api/0003-delivery-history.sql',
  'webhook-api/0007-one-row-per-delivery.sql',
])

for (const service of serviceNames.filter((name) => serviceTraits[name].database)) {
  const dir = `${repoRoot}/services/${service}/migrations`
  for (const name of await readdir(dir)) {
    if (madeBeforeTheRule.has(`${service}/${name}`)) continue
    for (const fault of migrationFaults(await readFile(`${dir}/${name}`, 'utf8'))) {
      console.error(`services/${service}/migrations/${name}: ${fault}`)
      process.exitCode = 1
    }
  }
}
