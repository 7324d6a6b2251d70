import { code, paragraph, sentence, table } from './markdown.ts'

export type MetricDefinition = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
}

/** A source file with its path from the root. */
export type SourceFile = { path: string; text: string }

/** The folders that define metrics, and the processes that export them. */
const places: readonly (readonly [folder: string, title: string])[] = [
  ['libs/service-kit/', 'Every service'],
  ['libs/kafka/', 'Services that use Kafka'],
  ['libs/access/', 'Services that limit requests: data-api, postgres-source, webhook-api'],
  ['libs/change-capture/', 'Services that relay changes: auth-service, data-api, webhook-api'],
  ['services/auth-service/', 'auth-service'],
  ['services/data-api/', 'data-api'],
  ['services/postgres-source/', 'postgres-source'],
  ['services/webhook-api/', 'webhook-api'],
  ['services/webhook-matcher/', 'webhook-matcher'],
  ['services/webhook-dispatcher/', 'webhook-dispatcher'],
]

const definition =
  /(histogram\(|)\{\s*name: '(surehook_\w+)',\s*help:\s*'([^']*)',?(?:\s*labelNames: \[([^\]]*)\])?/g

/** Finds the metrics that a source file defines as literals `{ name, help, labelNames }`. */
export function metricsIn({ text }: SourceFile): MetricDefinition[] {
  return Array.from(text.matchAll(definition), ([, call, name = '', help = '', labels = '']) => ({
    name,
    type: name.endsWith('_total') ? 'counter' : call === '' ? 'gauge' : 'histogram',
    help,
    labels: Array.from(labels.matchAll(/'(\w+)'/g), ([, label = '']) => label),
  }))
}

/** Describes every metric, by the processes that export it. */
export function metricsPage(files: readonly SourceFile[]): string {
  return [
    '# Metrics',
    '',
    'This page lists every metric. [Monitoring](../operate/observability.md) says how to use them.',
    '',
    ...paragraph(
      'Every process serves Prometheus metrics at `http://<HOST>:<INTERNAL_PORT>/metrics`. Each metric has the label `service`. Labels never hold the id of a tenant, a webhook or an endpoint. Times are in seconds, sizes in bytes.',
    ),
    ...paragraph('The metrics `process_…` and `nodejs_…` come from prom-client.'),
    ...places.flatMap(([folder, title]) => {
      const metrics = files.filter(({ path }) => path.startsWith(folder)).flatMap(metricsIn)
      return [`## ${title}`, '', ...table(['metric', 'type', 'labels', 'meaning'], rowsOf(metrics))]
    }),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

const rowsOf = (metrics: readonly MetricDefinition[]) =>
  metrics
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, labels, help }) => [code(name), type, labels.join(', '), sentence(help)])
