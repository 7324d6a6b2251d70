import { expect, it } from '@jest/globals'
import { createServiceMetrics } from '@surehook/service-kit/telemetry/metrics'
import { mergeMetrics } from './merge-metrics.ts'

it('puts a metric of several services into one group, and changes no line', async () => {
  const pages = await Promise.all(
    ['data-api', 'webhook-api'].map(async (service) => {
      const metrics = createServiceMetrics(service)
      metrics.counter({ name: 'shared_total', help: 'Of both' }).inc()
      metrics.gauge({ name: `of_${service.replace('-', '_')}`, help: 'Of one' }).set(2)
      metrics.histogram({ name: 'took_seconds', help: 'Of both', buckets: [1] }).observe(0.5)
      return metrics.registry.metrics()
    }),
  )
  const lines = mergeMetrics(pages).trimEnd().split('\n')
  const given = pages.flatMap((page) => page.split('\n')).filter((line) => line !== '')
  expect(lines.toSorted()).toEqual([...new Set(given)].toSorted())
  const at = lines.indexOf('# TYPE shared_total counter')
  expect(lines.slice(at + 1, at + 3)).toEqual([
    'shared_total{service="data-api"} 1',
    'shared_total{service="webhook-api"} 1',
  ])
  expect(lines[at + 3]).toMatch(/^# HELP/)
})

it('is empty without a page', () => {
  expect(mergeMetrics([]).trim()).toBe('')
})
