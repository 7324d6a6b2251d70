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

/** One registry per process, served at `/metrics`; asking twice for a name gives the same metric. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const once = <Metric>(name: string, make: () => Metric): Metric =>
    (registry.getSingleMetric(name) as Metric | undefined) ?? make()
  return {
    registry,
    counter: (config) => once(config.name, () => new Counter({ ...config, registers })),
    gauge: (config) => once(config.name, () => new Gauge({ ...config, registers })),
    histogram: (config) => once(config.name, () => new Histogram({ ...config, registers })),
  }
}
