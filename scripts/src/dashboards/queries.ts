import type { Query } from './dashboard.ts'

const window = '$__rate_interval'

/** The rate per second, by these labels. */
export function rate(metric: string, by: readonly string[] = [], where = ''): Query {
  const sum = by.length === 0 ? 'sum' : `sum by (${by.join(', ')})`
  return {
    expr: `${sum} (rate(${metric}${braced(where)}[${window}]))`,
    ...(by.length > 0 && { legend: by.map((label) => `{{${label}}}`).join(' ') }),
  }
}

/** The 50th, 95th and 99th percentile. */
export function quantiles(histogram: string, where = ''): Query[] {
  return [0.5, 0.95, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket${braced(where)}[${window}])))`,
    legend: `p${quantile * 100}`,
  }))
}

/** The present value, by these labels. */
export function now(
  how: 'sum' | 'max' | 'min',
  metric: string,
  by: readonly string[] = [],
  where = '',
): Query {
  const grouped = by.length === 0 ? how : `${how} by (${by.join(', ')})`
  return {
    expr: `${grouped} (${metric}${braced(where)})`,
    ...(by.length > 0 && { legend: by.map((label) => `{{${label}}}`).join(' ') }),
  }
}

const braced = (where: string) => (where === '' ? '' : `{${where}}`)
