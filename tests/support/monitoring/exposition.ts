import type { Expression } from './promql.ts'

/** The exposed metrics: each name with its labels and their values. */
export type Exposition = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

const series = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$/
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g

export function readExposition(texts: readonly string[]): Exposition {
  const metrics = new Map<string, Map<string, Set<string>>>()
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, name, pairs = ''] = series.exec(line) ?? []
    if (name === undefined) continue
    const labels = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, labels)
    for (const [, label = '', value = ''] of pairs.matchAll(labelPair)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value))
    }
  }
  return metrics
}

/** Labels that Prometheus adds, in Kubernetes with the namespace. */
const ofTarget = ['job', 'instance', 'namespace']

/** Returns the parts of an expression that no service exposes. */
export function faultsOf({ selectors, groupings }: Expression, exposed: Exposition): string[] {
  const faults: string[] = []
  const known = (metric: string, label: string) =>
    ofTarget.includes(label) || exposed.get(metric)?.has(label) === true
  for (const { metric, labels, equal } of selectors) {
    if (!exposed.has(metric)) faults.push(`no metric ${metric}`)
    for (const label of labels) {
      if (!known(metric, label)) faults.push(`${metric} has no label ${label}`)
    }
    for (const [label, value] of equal) {
      const values = exposed.get(metric)?.get(label)
      if (values && !values.has(value)) faults.push(`${metric} has no ${label} "${value}"`)
    }
  }
  for (const { labels, metrics } of groupings) {
    for (const label of labels) {
      if (!metrics.some((metric) => known(metric, label))) {
        faults.push(`none of ${metrics.join(', ')} has the label ${label}`)
      }
    }
  }
  return faults
}
