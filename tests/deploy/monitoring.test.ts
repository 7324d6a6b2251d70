import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import * as yaml from 'yaml'
import { render } from './chart.ts'
import { ofKind, podsIn, selects } from './kube-objects.ts'
import { services } from './service-readers.ts'

const rendering = render('values-production-example.yaml')

test('the rules are those that Prometheus gets in the other installations', async () => {
  const rules = await readFile(`${repoRoot}/deploy/prometheus/alerts.yml`, 'utf8')
  expect(ofKind(await rendering, 'PrometheusRule').map(({ spec }) => spec)).toEqual([
    yaml.parse(rules),
  ])
})

test('so are the dashboards', async () => {
  const dir = `${repoRoot}/deploy/grafana/dashboards`
  const maps = ofKind(await rendering, 'ConfigMap').filter(
    ({ metadata }) => metadata.labels['grafana_dashboard'] === '1',
  )
  const inChart = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>
  expect(Object.keys(inChart).toSorted()).toEqual((await readdir(dir)).toSorted())
  for (const [name, text] of Object.entries(inChart)) {
    expect(JSON.parse(text)).toEqual(JSON.parse(await readFile(`${dir}/${name}`, 'utf8')))
  }
})

describe.each(['PodMonitor', 'ServiceMonitor'])('a %s', (kind) => {
  const field = `${kind[0]?.toLowerCase()}${kind.slice(1)}`
  const other = kind === 'PodMonitor' ? 'serviceMonitor' : 'podMonitor'

  test('finds every pod of a service by the port of its metrics', async () => {
    const over = { monitoring: { [field]: { enabled: true }, [other]: { enabled: false } } }
    const objects = await render('values-production-example.yaml', over)
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

test('the gateway is what clients are led to, by an Ingress or a route', async () => {
  const [ingress] = ofKind(await rendering, 'Ingress')
  const backend = { service: { name: 'surehook-gateway', port: { name: 'http' } } }
  expect(ingress?.spec.rules).toMatchObject([
    { host: 'surehook.example.com', http: { paths: [{ path: '/', backend }] } },
  ])
  const [route] = ofKind(await render('ci/gateway-api-values.yaml'), 'HTTPRoute')
  expect(route?.spec).toMatchObject({
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    hostnames: ['surehook.example.com'],
    rules: [{ backendRefs: [{ name: 'surehook-gateway', port: 8080 }] }],
  })
})
