import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { chartDir } from '@surehook/scripts/deploy/helm-tools'
import * as yaml from 'yaml'
import { readPromql } from '../support/monitoring/promql.ts'
import { namespace, render } from './chart.ts'
import { type AlertRule, type KubeObject, ofKind, podsIn, selects } from './kube-objects.ts'
import { services } from './service-readers.ts'

const rendering = render('values-production-example.yaml')

const monitoredBy = (kind: string) => ({
  monitoring: {
    podMonitor: { enabled: kind === 'PodMonitor' },
    serviceMonitor: { enabled: kind === 'ServiceMonitor' },
  },
})

const readRules = async () =>
  yaml.parse(await readFile(`${chartDir}/files/alerts.yaml`, 'utf8')) as {
    groups: { rules: AlertRule[] }[]
  }

const rulesIn = (objects: readonly KubeObject[]): AlertRule[] =>
  ofKind(objects, 'PrometheusRule').flatMap(({ spec }) =>
    (spec.groups ?? []).flatMap(({ rules }) => rules),
  )

/** Removes the namespace matcher, as in a file that was rendered without a namespace. */
const anywhere = (expr: string, matcher: string) =>
  expr.replaceAll(`{${matcher}}`, '').replaceAll(`${matcher},`, '')

describe('the rules', () => {
  const matcher = `namespace="${namespace}"`

  test('equal those of other installations, apart from the namespace', async () => {
    const [rule] = ofKind(await rendering, 'PrometheusRule')
    const groups = rule?.spec.groups?.map((group) => ({
      ...group,
      rules: group.rules.map(({ expr, ...rest }) => ({ ...rest, expr: anywhere(expr, matcher) })),
    }))
    const expected = (await readRules()).groups.map((group) => ({
      ...group,
      rules: group.rules.map((one) => ({
        ...one,
        expr: one.expr.replace('job=~".*surehook.*"', 'job="surehook-metrics"'),
        labels: { ...one.labels, namespace },
      })),
    }))
    expect(groups).toEqual(expected)
  })

  test('select only this installation, whatever else Prometheus sees', async () => {
    const rules = rulesIn(await rendering)
    const selectors = rules.flatMap(({ expr }) => readPromql(expr).selectors)
    expect(selectors.length).toBeGreaterThan(rules.length)
    const others = selectors.filter(
      ({ equal }) => !equal.some(([label, value]) => label === 'namespace' && value === namespace),
    )
    expect(others).toEqual([])
  })

  test.each(['PodMonitor', 'ServiceMonitor'])(
    'find what a %s does not reach, however it is called',
    async (kind) => {
      const objects = await render('values-production-example.yaml', {
        fullnameOverride: 'hooks',
        ...monitoredBy(kind),
      })
      const [monitor] = ofKind(objects, kind)
      const [service] = ofKind(objects, 'Service').filter(({ metadata }) =>
        selects(monitor?.spec.selector ?? { matchLabels: { none: '' } }, metadata.labels),
      )
      const job =
        kind === 'PodMonitor' ? `${namespace}/${monitor?.metadata.name}` : service?.metadata.name
      const { expr = '' } =
        rulesIn(objects).find(({ alert }) => alert === 'SurehookReplicaNotReady') ?? {}
      const up = readPromql(expr).selectors.find(({ metric }) => metric === 'up')
      expect(up?.equal).toContainEqual(['job', job])
    },
  )
})

describe('the dashboards', () => {
  type Dashboard = {
    panels: { targets?: { expr: string }[] }[]
    templating: { list: { name: string }[] }
  }
  const read = async () => {
    const maps = ofKind(await rendering, 'ConfigMap').filter(
      ({ metadata }) => metadata.labels['grafana_dashboard'] === '1',
    )
    const texts = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>
    return new Map(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)]))
  }

  test('are those of the chart', async () => {
    const dir = `${chartDir}/files/dashboards`
    const inChart = await read()
    const names = await readdir(dir)
    expect([...inChart.keys()].toSorted()).toEqual(names.toSorted())
    for (const name of names) {
      const file: unknown = JSON.parse(await readFile(`${dir}/${name}`, 'utf8'))
      expect(inChart.get(name)).toEqual(file)
    }
  })

  test('select only the chosen namespaces, and all by default', async () => {
    const dashboards = [...(await read()).values()] as Dashboard[]
    for (const { templating } of dashboards) {
      expect(templating.list.at(-1)).toMatchObject({
        name: 'namespace',
        multi: true,
        includeAll: true,
        allValue: '.*',
      })
    }
    const asked = dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    )
    const selectors = asked.flatMap(
      (expr) => readPromql(expr.replaceAll('$__rate_interval', '5m')).selectors,
    )
    expect(selectors.length).toBeGreaterThan(50)
    expect(selectors.filter(({ labels }) => !labels.includes('namespace'))).toEqual([])
  })
})

describe.each(['PodMonitor', 'ServiceMonitor'])('a %s', (kind) => {
  test('finds every pod of a service by the port of its metrics', async () => {
    const objects = await render('values-production-example.yaml', monitoredBy(kind))
    const [monitor, ...more] = ofKind(objects, kind)
    expect(more).toEqual([])
    expect(monitor?.metadata.labels['release']).toBe('kube-prometheus-stack')
    const selector =
      kind === 'PodMonitor'
        ? monitor?.spec.selector
        : {
            matchLabels: ofKind(objects, 'Service').find(({ metadata }) =>
              selects(monitor?.spec.selector ?? { matchLabels: { none: '' } }, metadata.labels),
            )?.spec.selector as unknown as Record<string, string>,
          }
    const found = podsIn(objects)
      .filter(({ labels }) => selects(selector ?? { matchLabels: { none: '' } }, labels))
      .map(({ name }) => name.replace('surehook-', ''))
    expect(found.toSorted()).toEqual(services.toSorted())
    const endpoints = monitor?.spec['podMetricsEndpoints'] ?? monitor?.spec['endpoints']
    expect(endpoints).toMatchObject([{ port: 'internal', path: '/metrics' }])
  })
})
