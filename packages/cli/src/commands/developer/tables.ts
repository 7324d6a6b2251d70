import type { Table, TableInput } from '@surehook/client'
import { UsageError } from '../../cli/command.ts'
import { accessOf } from '../../lib/access.ts'
import { inputOptions, readObject } from '../../lib/input/read-input.ts'
import { accessRows } from '../../output/access-rows.ts'
import { type Output, showDone, showRows, tableOf } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { timeCell } from '../../output/times.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const tableCommands = [
  tenantCommand({
    name: 'tables list',
    summary: 'List the tables of the environment',
    options: {},
    async act({ surehook, request, now }) {
      return showRows('tables', await surehook.tables.list(request), (table) => ({
        table: table.name,
        columns: table.columns.map(({ name, type }) => `${name}:${type}`).join(' ') || '-',
        source: table.source ? `${table.source.name} ${table.source.relation}` : '-',
        changed: timeCell(table.updatedAt, now()),
      }))
    },
  }),
  tenantCommand({
    name: 'tables show',
    summary: 'Show the columns and the access rules of a table',
    options: {},
    positionals: ['table'],
    async act({ surehook, request, words: { table }, now }) {
      return shownTable(await surehook.tables.get(table, request), now())
    },
  }),
  tenantCommand({
    name: 'tables access',
    summary: 'Show which records and columns each role may read, create, update and delete',
    details: 'The role "*" stands for every user.',
    examples: ['tables access orders', 'tables access orders --role customer'],
    options: {
      role: { type: 'string', value: 'role', help: 'only what users with this role may do' },
    },
    positionals: ['table'],
    async act({ surehook, request, words: { table }, values: { role } }) {
      const { access } = await surehook.tables.get(table, request)
      const shown = role === undefined ? access : accessOf(role, access)
      return { value: shown, lines: [tableOf(accessRows(shown))] }
    },
  }),
  tenantCommand({
    name: 'tables create',
    summary: 'Create a table, or add columns to it',
    details:
      'The input lists every column: see "surehook tables show <table> --json". A table of a ' +
      'source names its relation instead.',
    examples: [
      `tables create orders --data '{"columns":[{"name":"status","type":"text"}]}'`,
      'tables create orders --file orders.json',
      `tables create orders --data '{"source":"shop","relation":"public.orders"}'`,
    ],
    options: inputOptions,
    positionals: ['table'],
    async act(call) {
      const { surehook, request, words, values, now } = call
      // The API checks the input, and names each fault.
      const input = (await readObject(values, call)) as TableInput
      return shownTable(await surehook.tables.put(words.table, input, request), now())
    },
  }),
  tenantCommand({
    name: 'tables delete',
    summary: 'Delete a table and its records',
    examples: ['tables delete orders --confirm orders'],
    options: {
      confirm: { type: 'string', value: 'table', required: true, help: 'the name again' },
    },
    positionals: ['table'],
    async act({ surehook, request, words: { table }, values: { confirm } }) {
      if (confirm !== table) throw new UsageError(`--confirm must be "${table}", not "${confirm}"`)
      await surehook.tables.delete(table, request)
      return showDone(`table ${table} is deleted`, { deleted: table })
    },
  }),
]

function shownTable(table: Table, now: number): Output {
  const columns = table.columns.map(({ name, type, required, unique, default: usual }) => ({
    column: name,
    type,
    required: required ? 'yes' : '-',
    unique: unique ? 'yes' : '-',
    default: cellOf(usual),
  }))
  const changed = `changed ${timeCell(table.updatedAt, now)}`
  const rest = table.source
    ? [sourceText(table.source), '', tableOf(columns)]
    : ['', tableOf(columns), '', tableOf(accessRows(table.access))]
  return { value: table, lines: [`table ${table.name}, ${changed}`, ...rest] }
}

const sourceText = ({ name, relation, exclude }: NonNullable<Table['source']>): string =>
  `rows of ${relation} of the source ${name}` +
  (exclude.length > 0 ? `, without ${exclude.join(', ')}` : '')
