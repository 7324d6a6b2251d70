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
  /** From closed sets only: never an id, a URL or a message. */
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

/** All parts of the system have the same. */
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** Each probe wakes the process: with prom-client's 10 ms an idle service woke a hundred times a second. */
const eventLoopProbeMs = 100

/** A registry with the numbers of the process, served at `/metrics`. */
export function createMetrics(service: string): Metrics {
  const metrics = createServiceMetrics(service)
  collectDefaultMetrics({
    register: metrics.registry,
    eventLoopMonitoringPrecision: eventLoopProbeMs,
  })
  return metrics
}

/** A service's own numbers alone; asking twice for a name gives the same metric. */
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
 * Each of the label's values can be seen from the start: what is seen first with a count of 1 has not grown,
 * as far as Prometheus knows.
 */
export function fromZero<Label extends string>(
  counter: Counter<Label>,
  label: Label,
  values: Iterable<string>,
): Counter<Label> {
  for (const value of values) counter.inc({ [label]: value } as Partial<Record<Label, string>>, 0)
  return counter
}
