import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { sentence } from '@surehook/contracts/openapi/reference/words'
import { pausedTopic } from '@surehook/contracts/topics'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { type Exposition, faultsOf, readExposition } from '../support/monitoring/exposition.ts'
import { pagesOf, readDashboards, readRules } from '../support/monitoring/monitoring-files.ts'
import { readPromql } from '../support/monitoring/promql.ts'
import { eventually } from '../support/world.ts'

let world: ListeningWorld

beforeAll(async () => {
  world = await openListeningWorld()
  const tenant = await world.tenant()
  const listener = await world.listen(tenant)
  await tenant.insert({ status: 'new' })
  await listener.firstReceipt()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

type Service = keyof ListeningWorld['system']['services']

async function scraped(service: Service): Promise<string> {
  const [replica] = world.system.services[service]
  const response = await fetch(`${replica?.internalUrl}/metrics`)
  expect(response.status).toBe(200)
  return response.text()
}

/** Returns the values of a metric by the text of its labels. */
async function valuesOf(service: Service, name: string): Promise<Map<string, number>> {
  const lines = (await scraped(service)).split('\n').filter((line) => line.startsWith(`${name}{`))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(name.length, at), Number(line.slice(at + 1))]
    }),
  )
}

const groups: [Service, string, string][] = [
  ['webhook-matcher', 'webhook-matcher', 'changes'],
  ['webhook-dispatcher', 'webhook-dispatcher', 'webhook.deliveries'],
  ['webhook-api', 'webhook-api', 'webhook.attempts'],
]

describe('the metrics of delayed work', () => {
  it.each(groups)('%s reports the lag of %s on %s, none when all is done', async (...of) => {
    const [service, group, topic] = of
    const lag = async () => {
      const values = await valuesOf(service, 'surehook_kafka_consumer_lag_messages')
      const mine = [...values].filter(
        ([labels]) => labels.includes(`group="${group}"`) && labels.includes(`topic="${topic}"`),
      )
      return { partitions: mine.length > 0, behind: mine.some(([, value]) => value > 0) }
    }
    await eventually(lag, ({ partitions, behind }) => partitions && !behind)
  })

  it('webhook-dispatcher reports the lag of paused deliveries while they are paused', async () => {
    const lags = await valuesOf('webhook-dispatcher', 'surehook_kafka_consumer_lag_messages')
    const paused = [...lags].filter(([labels]) => labels.includes('"webhook.deliveries.paused"'))
    expect(paused.length).toBeGreaterThan(0)
    for (const [, lag] of paused) expect(lag).toBeGreaterThanOrEqual(0)
  })

  it.each<Service>(['data-api', 'webhook-api', 'auth-service'])(
    '%s reports how far its slot is behind, and that it is not lost',
    async (service) => {
      const [lag] = (await valuesOf(service, 'surehook_capture_slot_lag_bytes')).values()
      expect(lag).toBeGreaterThanOrEqual(0)
      expect([...(await valuesOf(service, 'surehook_capture_slot_lost')).values()]).toEqual([0])
    },
  )

  it.each<Service>(['webhook-matcher', 'webhook-dispatcher'])(
    '%s reports its window, how much of it is in use, and who waits for room',
    async (service) => {
      const used = await valuesOf(service, 'surehook_kafka_consumer_window_use_ratio')
      expect(used.size).toBeGreaterThan(0)
      for (const part of used.values()) {
        expect(part).toBeGreaterThanOrEqual(0)
        expect(part).toBeLessThanOrEqual(1)
      }
      const [limit] = (
        await valuesOf(service, 'surehook_kafka_consumer_window_limit_messages')
      ).values()
      expect(limit).toBeGreaterThan(0)
      const waiting = await valuesOf(service, 'surehook_kafka_consumer_tenants_waiting')
      expect(new Set(waiting.values())).toEqual(new Set([0]))
    },
  )

  it('the lag of the dispatcher on the paused topic is the number of paused deliveries', async () => {
    // Does not expect exactly two, because other tests have left paused deliveries on the same
    // broker.
    const both = async () => {
      const lags = await valuesOf('webhook-dispatcher', 'surehook_kafka_consumer_lag_messages')
      const partitions = [...lags].filter(([labels]) => labels.includes(`topic="${pausedTopic}"`))
      const lag = partitions.reduce((sum, [, value]) => sum + value, 0)
      const [paused] = (await valuesOf('webhook-dispatcher', 'surehook_delivery_paused')).values()
      return { partitions: partitions.length, lag, paused }
    }
    await eventually(both, ({ partitions, lag, paused }) => partitions > 0 && lag === paused)
  })

  it('the dispatcher reports paused deliveries and open circuits', async () => {
    for (const name of ['surehook_delivery_paused', 'surehook_delivery_circuits_open']) {
      expect((await valuesOf('webhook-dispatcher', name)).size).toBe(1)
    }
  })
})

describe('the page of the metrics', () => {
  type Row = { name: string; type: string; labels: string[]; meaning: string }
  let documented: Row[]
  let started: (Row & { hasSeries: boolean })[]

  beforeAll(async () => {
    const page = await readFile(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
    documented = page.split('\n').flatMap((line) => {
      const [, name, type = '', labels = '', meaning = ''] =
        /^\| `(surehook_\w+)` \| (\w+) \| (.*) \| (.*) \|$/.exec(line) ?? []
      return name === undefined ? [] : [{ name, type, labels: namesIn(labels), meaning }]
    })
    const services = Object.keys(world.system.services) as Service[]
    const texts = await Promise.all(services.map(scraped))
    const exposed = readExposition(texts)
    started = texts.flatMap((text) =>
      Array.from(
        text.matchAll(/^# HELP (surehook_\S+) (.*)\n# TYPE \S+ (\S+)$/gm),
        ([, name = '', help = '', type = '']) => {
          const series = exposed.get(type === 'histogram' ? `${name}_count` : name)
          const labels = [...(series?.keys() ?? [])].filter((label) => label !== 'service')
          const hasSeries = series !== undefined
          return { name, type, labels, meaning: sentence(help), hasSeries }
        },
      ),
    )
  })

  const namesIn = (labels: string) => labels.split(', ').filter((label) => label !== '')
  const names = (rows: readonly Row[]) => [...new Set(rows.map(({ name }) => name))].toSorted()

  it('lists the metrics of the started services', () => {
    expect(names(started).length).toBeGreaterThan(20)
    expect(names(documented)).toEqual(names(started))
  })

  it('has their types, labels and texts', () => {
    const pageOf = new Map(documented.map((row) => [row.name, row]))
    for (const { hasSeries, ...metric } of started) {
      const row = pageOf.get(metric.name)
      // A metric without series shows no labels.
      const labels = (hasSeries ? metric : row)?.labels.toSorted()
      expect({ ...row, labels: row?.labels.toSorted() }).toEqual({ ...metric, labels })
    }
  })

  it('follows the conventions of Prometheus', () => {
    for (const { name, type } of started) {
      expect(name).toMatch(/^surehook_[a-z0-9_]+$/)
      expect(name.endsWith('_total')).toBe(type === 'counter')
      if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/)
    }
  })
})

describe('a query on the metrics', () => {
  let scrape: Exposition
  beforeAll(async () => {
    const services = Object.keys(world.system.services) as Service[]
    const recorded = (await readRules()).map(({ record }) => `${record} 0`)
    // Prometheus adds these series to each target.
    scrape = readExposition([...(await Promise.all(services.map(scraped))), ...recorded, 'up 1'])
  })

  it('of a dashboard uses only exported metrics and labels', async () => {
    const asked = await readDashboards()
    expect(asked.length).toBeGreaterThan(50)
    const faults = asked.flatMap(({ where, expr, legend = '' }) => {
      const expression = readPromql(expr)
      const grouped = expression.groupings.flatMap(({ labels }) => labels)
      const shown = Array.from(legend.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label)
      const lost = shown.filter((label) => !grouped.includes(label))
      const all = [...faultsOf(expression, scrape), ...lost.map((label) => `${label} is not left`)]
      return all.map((fault) => `${where}: ${fault}`)
    })
    expect(faults).toEqual([])
  })

  it('of an alert uses only exported metrics and labels', async () => {
    const rules = await readRules()
    const faults = rules.flatMap(({ alert, record, expr }) =>
      faultsOf(readPromql(expr), scrape).map((fault) => `${alert ?? record}: ${fault}`),
    )
    expect(faults).toEqual([])
  })

  it.each([
    ['surehook_delivery_parkd', 'no metric surehook_delivery_parkd'],
    ['surehook_ready{chek="kafka"}', 'surehook_ready has no label chek'],
    ['surehook_ready{check="cafka"}', 'surehook_ready has no check "cafka"'],
    ['sum by (topik) (surehook_ready)', 'none of surehook_ready has the label topik'],
  ])('which finds out %s', (expr, fault) => {
    expect(faultsOf(readPromql(expr), scrape)).toEqual([fault])
  })

  it('every alert has a page with instructions, and every page an alert', async () => {
    const alerts = (await readRules()).filter(({ alert }) => alert !== undefined)
    const pageOf = (alert = '') =>
      `${alert
        .replace('Surehook', '')
        .replaceAll(/\B[A-Z]/g, '-$&')
        .toLowerCase()}.md`
    for (const { alert, annotations } of alerts) {
      expect(annotations?.['runbook']).toBe(`docs/operate/runbooks/${pageOf(alert)}`)
    }
    const wanted = alerts.map(({ alert }) => pageOf(alert))
    expect((await pagesOf('operate/runbooks')).toSorted()).toEqual(wanted.toSorted())
  })
})
