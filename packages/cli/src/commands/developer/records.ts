import type { ReadOptions } from '@surehook/client'
import { UsageError } from '../../cli/command.ts'
import { isObject, objectOf } from '../../lib/input/option-values.ts'
import { inputOptions, readInput, readObject } from '../../lib/input/read-input.ts'
import { explanationLines } from '../../output/explanation-lines.ts'
import { showFields, showRows } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { limitOption, take } from '../../tenant/take.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'
import { type UserLookup, userIdOf } from '../../tenant/user-id.ts'

const asUserOption = {
  'as-user': {
    type: 'string',
    value: 'user',
    help: 'show what this user would see: the id or address of the user',
  },
} as const

export const recordCommands = [
  tenantCommand({
    name: 'records list',
    summary: 'List the records of a table',
    examples: [
      'records list orders',
      `records list orders --filter '{"total":{"gte":100}}' --order -createdAt --limit 10`,
      'records list orders --as-user ada@example.com',
    ],
    options: {
      filter: { type: 'string', value: 'json', help: 'only records that match this filter' },
      order: {
        type: 'string',
        value: 'list',
        help: 'fields to sort by, such as -total,id. A - sorts descending. Default: id',
      },
      ...asUserOption,
      ...limitOption,
    },
    positionals: ['table'],
    async act({ surehook, request, words, values, note }) {
      const { filter, order } = values
      const options = await readOptions(values, { surehook, request })
      const records = surehook.table(words.table)
      const query = {
        ...(filter !== undefined && { where: objectOf('filter', filter) }),
        ...(order !== undefined && { order }),
      }
      const pages = (page: { limit: number }) => records.iterate({ ...query, ...page }, options)
      return showRows('records', await take(values, pages, { note }), cellsOf)
    },
  }),
  tenantCommand({
    name: 'records get',
    summary: 'Show a record',
    options: asUserOption,
    positionals: ['table', 'id'],
    async act({ surehook, request, words: { table, id }, values }) {
      const options = await readOptions(values, { surehook, request })
      return showFields(await surehook.table(table).get(id, options))
    },
  }),
  tenantCommand({
    name: 'records explain',
    summary: 'Show why a user may, or may not, read, update and delete a record',
    examples: ['records explain orders 0199… --user ada@example.com'],
    options: {
      user: {
        type: 'string',
        value: 'user',
        required: true,
        help: 'the id or address of the user',
      },
    },
    positionals: ['table', 'id'],
    async act({ surehook, request, words: { table, id }, values: { user } }) {
      const userId = await userIdOf('user', user, { surehook, request })
      const explanation = await surehook.table(table).explain(id, { userId }, request)
      return { value: explanation, lines: explanationLines(explanation) }
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

async function readOptions(
  { 'as-user': user }: { 'as-user'?: string | undefined },
  by: UserLookup,
): Promise<ReadOptions> {
  return user === undefined
    ? by.request
    : { ...by.request, asUser: await userIdOf('as-user', user, by) }
}

const cellsOf = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cellOf(value)]))
