import { listRecords } from '@surehook/contracts/http/data/data'
import { type RecordInput, RecordsInput } from '@surehook/contracts/http/data/records'
import type { RuledViolation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import { parsePart } from '@surehook/service-kit/http/violations'
import {
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLResolveInfo,
  GraphQLString,
} from 'graphql'
import type * as z from 'zod'
import type { RecordApi, RecordCall } from '../records/record-api.ts'
import type { TableDefinition } from '../table-definition.ts'
import type { GraphQLNames } from './graphql-names.ts'
import type { TableTypes } from './table-types.ts'
import { whereJson } from './where-json.ts'

/** The part of the request that resolvers read. */
export type DataContext = {
  call: RecordCall
  api: RecordApi
  /** Each operation waits for its tenant's turn. */
  enter: <T>(work: () => Promise<T>) => Promise<T>
  /** Resolves when a long list may take the event loop. */
  nextTurn: () => Promise<void>
  /** The approximate limit of one list, in bytes of records. */
  pageBytes: number
}

type Field = GraphQLFieldConfig<unknown, DataContext>
export type TableFields = { queries: Record<string, Field>; mutations: Record<string, Field> }

type Input = { input: RecordInput }

const id = { type: new GraphQLNonNull(GraphQLID) }

/** The operations of a table. They use the same `RecordApi` as REST. */
export function tableFields(
  table: Pick<TableDefinition, 'name' | 'columns'>,
  names: GraphQLNames,
  types: TableTypes,
): TableFields {
  return {
    queries: { [names.list]: listField(table, types), [names.get]: getField(table, types) },
    mutations: {
      [names.create]: createField(table, types),
      [names.createMany]: createManyField(table, types),
      [names.update]: updateField(table, types),
      [names.delete]: deleteField(table, types),
    },
  }
}

type Table = Pick<TableDefinition, 'name' | 'columns'>

/** GraphQL needs less than a millisecond for so many records. */
const shortList = 10

const parsed = ({ text }: { text: string }): unknown => JSON.parse(text)

function listField({ name, columns }: Table, types: TableTypes): Field {
  const jsonColumns = new Set(columns.filter(({ type }) => type === 'json').map((c) => c.name))
  return {
    type: types.page,
    description: `Records of the table ${name} that fit, page by page.`,
    args: {
      where: { type: types.where },
      order: {
        type: GraphQLString,
        description: 'Fields, comma-separated, "-" before a field for descending; by id if absent.',
      },
      limit: { type: GraphQLInt, description: 'At most so many, 1 to 200; 50 if absent.' },
      cursor: { type: GraphQLString, description: 'nextCursor of the page before.' },
    },
    async resolve(_source, { where, ...args }, { api, call, enter, nextTurn, pageBytes }) {
      const given = { ...args, ...(where != null && { where: whereText(where, jsonColumns) }) }
      const query = parseArguments(listRecords.query, given)
      const page = await enter(() => api.list(call, name, { ...query, maxBytes: pageBytes }))
      if (page.records.length > shortList) await nextTurn()
      return { records: page.records.map((text) => parsed({ text })), nextCursor: page.nextCursor }
    },
  }
}

const whereText = (where: Record<string, unknown>, jsonColumns: ReadonlySet<string>) =>
  JSON.stringify(whereJson(where, jsonColumns))

function getField({ name }: Table, { record }: TableTypes): Field {
  return {
    type: record,
    args: { id },
    resolve: async (_source, args: { id: string }, { api, call, enter }) =>
      parsed(await enter(() => api.get(call, { table: name, id: args.id }))),
  }
}

function createField({ name }: Table, { record, newRecord }: TableTypes): Field {
  return {
    type: record,
    args: { input: { type: new GraphQLNonNull(newRecord) } },
    async resolve(_source, { input }: Input, { api, call, enter }, info) {
      const [created] = await enter(() => api.create(keyed(call, info), name, input))
      return created && parsed(created)
    },
  }
}

function createManyField({ name }: Table, { record, newRecord }: TableTypes): Field {
  const many = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(newRecord)))
  return {
    type: new GraphQLList(new GraphQLNonNull(record)),
    description: 'All are created or none.',
    args: { input: { type: many } },
    async resolve(_source, args: { input: RecordInput[] }, { api, call, enter }, info) {
      const inputs = parseBody(RecordsInput, args.input)
      return (await enter(() => api.create(keyed(call, info), name, inputs))).map(parsed)
    },
  }
}

function updateField({ name }: Table, { record, changes }: TableTypes): Field {
  return {
    type: record,
    description: 'An absent field keeps its value; null clears it.',
    args: { id, input: { type: new GraphQLNonNull(changes) } },
    resolve: async (_source, args: Input & { id: string }, { api, call, enter }, info) =>
      parsed(
        await enter(() => api.update(keyed(call, info), { table: name, id: args.id }, args.input)),
      ),
  }
}

function deleteField({ name }: Table, { record }: TableTypes): Field {
  return {
    type: record,
    description: 'The record as it was.',
    args: { id },
    resolve: async (_source, args: { id: string }, { api, call, enter }, info) =>
      parsed(await enter(() => api.delete(keyed(call, info), { table: name, id: args.id }))),
  }
}

/**
 * Derives the idempotency key of one mutation from the request's key and the mutation's name in the
 * result. The separator cannot occur in a header.
 */
function keyed(call: RecordCall, { path }: GraphQLResolveInfo): RecordCall {
  const { idempotencyKey: key } = call
  return key === undefined ? call : { ...call, idempotencyKey: `${key}\n${path.key}` }
}

/** Treats an argument of `null` as absent, as GraphQL does for optional ones. */
function parseArguments<S extends z.ZodType>(schema: S, args: object): z.output<S> {
  return parse(
    'query',
    schema,
    Object.fromEntries(Object.entries(args).filter(([, v]) => v !== null)),
  )
}

const parseBody = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> =>
  parse('body', schema, body)

function parse<S extends z.ZodType>(
  part: 'query' | 'body',
  schema: S,
  input: unknown,
): z.output<S> {
  const violations: RuledViolation[] = []
  const read = parsePart(part, schema, { input, violations })
  if (violations.length > 0 || read === undefined) throw invalid(violations.map(asArgument))
  return read
}

/** REST's `body` is the argument `input` in GraphQL. */
const asArgument = (violation: RuledViolation): RuledViolation =>
  violation.field === 'body' ? { ...violation, field: 'input' } : violation
