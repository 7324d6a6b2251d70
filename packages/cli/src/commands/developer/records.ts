import { UsageError } from '../../cli/command.ts'
import { isObject, objectOf } from '../../lib/input/option-values.ts'
import { inputOptions, readInput, readObject } from '../../lib/input/read-input.ts'
import { showFields, showRows } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { limitOption, take } from '../../tenant/take.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const recordCommands = [
  tenantCommand({
    name: 'records list',
    summary: 'List the records of a table',
    examples: [
      'records list orders',
      `records list orders --filter '{"total":{"gte":100}}' --order -createdAt --limit 10`,
    ],
    options: {
      filter: { type: 'string', value: 'json', help: 'only records that match this filter' },
      order: {
        type: 'string',
        value: 'list',
        help: 'fields to sort by, such as -total,id. A - sorts descending. Default: id',
      },
      ...limitOption,
    },
    positionals: ['table'],
    async act({ surehook, request, words, values, note }) {
      const { filter, order } = values
      const records = surehook.table(words.table)
      const query = {
        ...(filter !== undefined && { where: objectOf('filter', filter) }),
        ...(order !== undefined && { order }),
      }
      const pages = (page: { limit: number }) => records.iterate({ ...query, ...page }, request)
      return showRows('records', await take(values, pages, { note }), cellsOf)
    },
  }),
  tenantCommand({
    name: 'records get',
    summary: 'Show a record',
    options: {},
    positionals: ['table', 'id'],
    async act({ surehook, request, words: { table, id } }) {
      return showFields(await surehook.table(table).get(id, request))
    },
  }),
  tenantCommand({
    name: 'records create',
    summary: 'Create a record, or all records of a list',
    examples: [
      `records create orders --data '{"status":"paid"}'`,
      'records create orders --file orders.json',
    ],
    options: inputOptions,
    positionals: ['table'],
    async act(call) {
      const { surehook, request, words, values } = call
      const input = await readInput(values, call)
      const records = surehook.table(words.table)
      if (Array.isArray(input)) {
        const created = await records.create(input as Record<string, unknown>[], request)
        return showRows('records', created, cellsOf)
      }
      if (!isObject(input)) throw new UsageError('the input must be a JSON object or a list')
      return showFields(await records.create(input, request))
    },
  }),
  tenantCommand({
    name: 'records update',
    summary: 'Change fields of a record',
    examples: [`records update orders 0199… --data '{"status":"sent"}'`],
    options: inputOptions,
    positionals: ['table', 'id'],
    async act(call) {
      const { surehook, request, words, values } = call
      const fields = await readObject(values, call)
      return showFields(await surehook.table(words.table).update(words.id, fields, request))
    },
  }),
  tenantCommand({
    name: 'records delete',
    summary: 'Delete a record, and show it a last time',
    options: {},
    positionals: ['table', 'id'],
    async act({ surehook, request, words: { table, id } }) {
      return showFields(await surehook.table(table).delete(id, request))
    },
  }),
]

const cellsOf = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cellOf(value)]))
