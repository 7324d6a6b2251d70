import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'yaml'

/** An expression of a dashboard or a rule, with its location. */
export type PanelQuery = { where: string; expr: string; legend?: string }

export type Rule = {
  alert?: string
  record?: string
  expr: string
  annotations?: Record<string, string>
}

const files = new URL('../../../deploy/helm/surehook/files/', import.meta.url)

export async function readRules(): Promise<Rule[]> {
  const text = await readFile(new URL('alerts.yaml', files), 'utf8')
  const { groups } = parse(text) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

type Target = { expr: string; legendFormat: string }
type Panel = { title: string; targets?: Target[] }

/** Replaces Grafana's variables: the interval by a duration, the chosen namespaces by all. */
export async function readDashboards(): Promise<PanelQuery[]> {
  const dir = new URL('dashboards/', files)
  const names = await readdir(dir)
  const read = names.map(async (name) => {
    const { panels } = JSON.parse(await readFile(new URL(name, dir), 'utf8')) as { panels: Panel[] }
    return panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: `${name}: ${title}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*'),
        legend: legendFormat,
      })),
    )
  })
  return (await Promise.all(read)).flat()
}

export function pagesOf(folder: string): Promise<string[]> {
  return readdir(new URL(`../../../docs/${folder}/`, import.meta.url))
}
