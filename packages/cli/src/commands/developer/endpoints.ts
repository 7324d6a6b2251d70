import type { Endpoint } from '@surehook/client'
import { showDone, showFields, showRows } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { timeCell } from '../../output/times.ts'
import { limitOption, take } from '../../tenant/take.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const endpointCommands = [
  tenantCommand({
    name: 'endpoints list',
    summary: 'List the receivers of the webhooks, and their circuits',
    options: limitOption,
    async act({ surehook, request, values, note, now }) {
      const pages = (page: { limit: number }) => surehook.endpoints.iterate(page, request)
      const found = await take(values, pages, { note })
      return showRows('endpoints', found, (endpoint) => cellsOf(endpoint, now()))
    },
  }),
  tenantCommand({
    name: 'endpoints show',
    summary: 'Show a receiver and its circuit',
    options: {},
    positionals: ['endpoint'],
    async act({ surehook, request, words, now }) {
      const endpoint = await surehook.endpoints.get(words.endpoint, request)
      const fields = { ...endpoint, openUntil: timeCell(endpoint.openUntil, now()) }
      return showFields(endpoint, fields)
    },
  }),
  tenantCommand({
    name: 'endpoints close',
    summary: 'Close a circuit, so that paused deliveries start at once',
    options: {},
    positionals: ['endpoint'],
    async act({ surehook, request, words: { endpoint } }) {
      await surehook.endpoints.close(endpoint, request)
      return showDone(`the circuit of ${endpoint} is closed`, { closed: endpoint })
    },
  }),
]

/** The names of the webhooks, or the ids of those without one. */
const webhooksOf = ({ webhooks, webhookNames }: Endpoint) =>
  cellOf(webhooks.map((id) => webhookNames?.[id] ?? id))

const cellsOf = (endpoint: Endpoint, now: number) => ({
  endpoint: endpoint.id,
  url: endpoint.url,
  circuit: endpoint.circuit,
  'open until': timeCell(endpoint.openUntil, now),
  failures: String(endpoint.consecutiveFailures),
  'in flight': String(endpoint.inFlight),
  paused: String(endpoint.paused),
  webhooks: webhooksOf(endpoint),
})
