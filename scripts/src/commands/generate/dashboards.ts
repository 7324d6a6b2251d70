import { writeFile } from 'node:fs/promises'
import { authentication } from '../../dashboards/authentication.ts'
import { grafanaJson } from '../../dashboards/dashboard.ts'
import { endpoints } from '../../dashboards/endpoints.ts'
import { infrastructure } from '../../dashboards/infrastructure.ts'
import { pipeline } from '../../dashboards/pipeline.ts'
import { repoRoot } from '../../lib/paths.ts'

/** Part of `npm run generate`: writes the Grafana dashboards. */
const dir = `${repoRoot}/deploy/grafana/dashboards`

for (const dashboard of [pipeline, endpoints, authentication, infrastructure]) {
  const text = `${JSON.stringify(grafanaJson(dashboard), null, 2)}\n`
  await writeFile(`${dir}/${dashboard.uid.replace('surehook-', '')}.json`, text)
}
