import { writeFile } from 'node:fs/promises'
import { authentication } from '../../dashboards/authentication.ts'
import { grafanaJson } from '../../dashboards/dashboard.ts'
import { endpoints } from '../../dashboards/endpoints.ts'
import { infrastructure } from '../../dashboards/infrastructure.ts'
import { pipeline } from '../../dashboards/pipeline.ts'
import { chartDir } from '../../deploy/helm-tools.ts'

/**
 * Part of `npm run generate`: writes the Grafana dashboards. They and the alerts are in the chart,
 * because a chart cannot read files outside its folder.
 */
const dir = `${chartDir}/files/dashboards`

for (const dashboard of [pipeline, endpoints, authentication, infrastructure]) {
  const text = `${JSON.stringify(grafanaJson(dashboard), null, 2)}\n`
  await writeFile(`${dir}/${dashboard.uid.replace('surehook-', '')}.json`, text)
}
