import { createRequire } from 'node:module'
import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client'

type Of<Config, Label extends string> = Omit<Config, 'registers' | 'labelNames'> & {
  /** Use only labels with closed sets of values: never an id, a URL or a message. */
  labelNames?: readonly Label[]
}

export type Metrics = {
  readonly registry: Registry
  counter<Label extends string = never>(
    config: Of<CounterConfiguration<Label>, Label>,
  ): Counter<Label>
  gauge<Label extends string = never>(config: Of<GaugeConfiguration<Label>, Label>): Gauge<Label>
  histogram<Label extends string = never>(
    config: Of<HistogramConfiguration<Label>, Label>,
  ): Histogram<Label>
}

/** All packages share one version. */
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/**
 * Milliseconds. Each probe wakes the process, and prom-client's 10 ms wake it 100 times a second.
 */
const eventLoopProbeMs = 100

/** Creates the registry of `/metrics` with the metrics of the process. */
export function createMetrics(service: string): Metrics {
  const metrics = createServiceMetrics(service)
  collectDefaultMetrics({
    register: metrics.registry,
    eventLoopMonitoringPrecision: eventLoopProbeMs,
  })
  return metrics
}

/**
 * Creates a registry with only a service's own metrics. A second request for a name returns the
 * same metric.
 */
export function createServiceMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  const registers = [registry]
  const once = <Metric>(name: string, make: () => Metric): Metric =>
    (registry.getSingleMetric(name) as Metric | undefined) ?? make()
  const metrics: Metrics = {
    registry,
    counter: (config) => once(config.name, () => new Counter({ ...config, registers })),
    gauge: (config) => once(config.name, () => new Gauge({ ...config, registers })),
    histogram: (config) => once(config.name, () => new Histogram({ ...config, registers })),
  }
  metrics
    .gauge({
      name: 'surehook_build_info',
      help: '1, with the version of the service and of Node.js as labels',
      labelNames: ['version', 'node_version'],
    })
    .set({ version, node_version: process.versions.node }, 1)
  return metrics
}

/**
 * Exports every value of the label from the start. Prometheus cannot see the increase of a counter
 * whose first sample is already 1.
 */
export function fromZero<Label extends string>(
  counter: Counter<Label>,
  label: Label,
  values: Iterable<string>,
): Counter<Label> {
  for (const value of values) counter.inc({ [label]: value } as Partial<Record<Label, string>>, 0)
  return counter
}
