import { describe, expect, it } from '@jest/globals'
import { type AnyCommand, defineCommand, exitCodes } from 'surehook/cli/command'
import { cliPage } from './cli-page.ts'
import { paragraph, readableJson } from './markdown.ts'
import { metricsIn } from './metrics-page.ts'
import { topicsPage } from './topics-page.ts'

const greet: AnyCommand = defineCommand({
  name: 'greet people',
  summary: 'Greets | waves',
  positionals: ['who'],
  options: {
    times: { type: 'string', value: 'number', default: '1', help: 'how often' },
    from: { type: 'string', required: true, help: 'who greets' },
  },
  variables: { GREETING: 'the word' },
  run: () => Promise.resolve(exitCodes.ok),
})

describe('the page of the command', () => {
  it.each([
    'surehook greet people <who> [options]',
    '| [`greet people`](#surehook-greet-people) | Greets \\| waves. |',
    '| `--times <number>` | `1` | How often. |',
    '| `--from <text>` | required | Who greets. |',
    '| `GREETING` | The word. |',
  ])('shows %s', (text) => {
    expect(cliPage([greet])).toContain(text)
  })
})

describe('the page of the topics', () => {
  const page = topicsPage(
    [
      { name: 'webhook.deliveries.retry.9s', partitions: 'main', config: { 'retention.ms': '-1' } },
      { name: 'changes.invalid', partitions: 'one', config: { 'retention.ms': '86400000' } },
    ],
    [
      {
        name: 'Job',
        doc: 'A job. Topics: webhook.deliveries and others. Key: id.',
        fields: [
          {
            name: 'parts',
            type: [
              'null',
              { type: 'array', items: { type: 'record', fields: [{ name: 'a', type: 'int' }] } },
            ],
            default: null,
          },
        ],
      },
      { name: 'Invalid', doc: 'Refused. Topics: *.invalid.', fields: [] },
    ],
  )

  it.each([
    '| `changes.invalid` | [Invalid](#invalid) | 1 | 1 days |',
    '| `webhook.deliveries.retry.9s` | [Job](#job) | `KAFKA_PARTITIONS` | until webhook-api deletes',
    '| `webhook.deliveries.retry.9s` | webhook-dispatcher | webhook-api, webhook-dispatcher |',
    '| `parts` | array of record or null | `null` |  |',
    '| `parts[].a` | int |  |  |',
  ])('shows %s', (text) => {
    expect(page).toContain(text)
  })
})

describe('the metrics of a source file', () => {
  it('are counters, gauges and histograms with their labels', () => {
    const text = `
      metrics.counter({ name: 'surehook_a_total', help: 'A', labelNames: ['b', 'c'] })
      metrics.histogram({
        name: 'surehook_d_seconds',
        help:
          'D',
        buckets: [1],
      })
      const shared = { name: 'surehook_e', help: 'E' }`
    expect(metricsIn({ path: 'x.ts', text })).toEqual([
      { name: 'surehook_a_total', type: 'counter', help: 'A', labels: ['b', 'c'] },
      { name: 'surehook_d_seconds', type: 'histogram', help: 'D', labels: [] },
      { name: 'surehook_e', type: 'gauge', help: 'E', labels: [] },
    ])
  })
})

describe('Markdown', () => {
  it('wraps at 100 columns', () => {
    const lines = paragraph('word '.repeat(60).trim())
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    expect(lines.join(' ').trim()).toBe('word '.repeat(60).trim())
  })

  it('breaks long JSON only', () => {
    expect(readableJson({ a: [1, { b: null }], c: {} })).toBe(
      '{ "a": [1, { "b": null }], "c": {} }',
    )
    const long = { text: 'x'.repeat(90), list: [1, 2] }
    expect(readableJson(long)).toBe(`{\n  "text": "${long.text}",\n  "list": [1, 2]\n}`)
  })
})
