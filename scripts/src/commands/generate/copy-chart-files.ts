import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { inNamespace, type Written } from '../../dashboards/in-namespace.ts'
import { chartDir } from '../../deploy/helm-tools.ts'
import { repoRoot } from '../../lib/paths.ts'

/**
 * `npm run generate`: copies rules and dashboards into the chart, because a chart cannot read files
 * outside its folder. The dashboards get a filter for namespaces.
 */
const files = `${chartDir}/files`
const dashboards = `${repoRoot}/deploy/grafana/dashboards`

await rm(files, { recursive: true, force: true })
await mkdir(`${files}/dashboards`, { recursive: true })
const rules = await readFile(`${repoRoot}/deploy/prometheus/alerts.yml`, 'utf8')
await writeFile(`${files}/alerts.yaml`, rules)
for (const name of await readdir(dashboards)) {
  const dashboard = JSON.parse(await readFile(`${dashboards}/${name}`, 'utf8')) as Written
  const text = `${JSON.stringify(inNamespace(dashboard), null, 2)}\n`
  await writeFile(`${files}/dashboards/${name}`, text)
}
