import { changeOperations } from '@surehook/contracts/events'
import type { Io, OptionSpecs, Values } from '../../../cli/command.ts'
import { given, jsonOf, listOf } from '../../../lib/input/option-values.ts'
import { readObject } from '../../../lib/input/read-input.ts'

/** The fields of a webhook. `--url` is the gateway in every command. */
export const fieldOptions = {
  name: { type: 'string', value: 'text', help: 'one line for people. null: none' },
  key: {
    type: 'string',
    value: 'key',
    help: 'unique in the environment: apply finds the webhook by it. null: none',
  },
  description: { type: 'string', value: 'text', help: 'what it is for. null: none' },
  table: { type: 'string', value: 'name', help: 'the table to watch' },
  events: {
    type: 'string',
    value: 'list',
    help: `the operations, of ${changeOperations.join(',')}`,
  },
  to: { type: 'string', value: 'url', help: 'the receiver: an https URL' },
  filter: { type: 'string', value: 'json', help: 'only records that match. null: all' },
  select: { type: 'string', value: 'list', help: 'only these fields of the record. null: all' },
  policy: {
    type: 'string',
    value: 'json',
    help: 'the delivery policy. null: the default. Give policy.headers with --file',
  },
  file: {
    type: 'string',
    value: 'file',
    help: 'a JSON file with the fields of the API, or - for the standard input. Options win',
  },
} as const satisfies OptionSpecs

/** Reads the fields that options and `--file` give. The API checks them, and names each fault. */
export async function fieldsOf(
  values: Values<typeof fieldOptions>,
  io: Pick<Io, 'stdin'>,
): Promise<Record<string, unknown>> {
  const { table, events, to, filter, select, policy, file } = values
  const base = file === undefined ? {} : await readObject({ file }, io)
  const options = given({
    name: textOf(values.name),
    key: textOf(values.key),
    description: textOf(values.description),
    table,
    events: events === undefined ? undefined : listOf(events),
    url: to,
    filter: filter === undefined ? undefined : jsonOf('filter', filter),
    select: select === undefined ? undefined : selected(select),
    policy: policy === undefined ? undefined : jsonOf('policy', policy),
  })
  return { ...base, ...options }
}

const textOf = (text: string | undefined) => (text === 'null' ? null : text)

const selected = (text: string) => (text === 'null' ? null : listOf(text))
