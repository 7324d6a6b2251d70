/**
 * Merges several pages of metrics. A metric that several pages have appears once with all its
 * lines, because the format requires one group per metric
 * (https://prometheus.io/docs/instrumenting/exposition_formats).
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
