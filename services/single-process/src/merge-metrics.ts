/**
 * One page of several pages of metrics. A metric that many of them have stands there once, with the lines of all
 * (https://prometheus.io/docs/instrumenting/exposition_formats: one group for each metric).
 */
export function mergeMetrics(pages: readonly string[]): string {
  const groups = new Map<string, string[]>()
  for (const page of pages) {
    for (const group of page.split(/^(?=# HELP )/m)) {
      const [, , name = ''] = group.split(' ', 3)
      const known = groups.get(name)
      if (known === undefined) groups.set(name, [group.trim()])
      else known.push(...samplesOf(group))
    }
  }
  return `${[...groups.values()].flat().join('\n')}\n`
}

const samplesOf = (group: string) =>
  group.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
