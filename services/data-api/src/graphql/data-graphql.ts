import type { GraphQLRequest } from '@surehook/contracts/http/graphql'
import { AppError } from '@surehook/service-kit/errors'
import {
  answerGraphQL,
  type GraphQLAnswer,
  type GraphQLTransport,
} from '@surehook/service-kit/graphql/graphql-transport'
import { Introspection } from '@surehook/service-kit/graphql/introspection'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { type DocumentNode, visit } from 'graphql'
import { tableSeenBy } from '../authorization/table-access.ts'
import { maxPageBytes } from '../records/read/read-records.ts'
import type { RecordCall } from '../records/record-api.ts'
import type { TableDefinition } from '../table-definition.ts'
import { graphqlNames } from './graphql-names.ts'
import type { SchemaCache } from './schema-cache.ts'
import { requireSoundVariables } from './sound-variables.ts'
import type { DataContext } from './table-fields.ts'

export type DataGraphQL = {
  /**
   * Rejects if the request exceeds a limit, or names a table that the caller may not use at all.
   */
  execute(request: GraphQLRequest, call: DataCall): Promise<GraphQLAnswer>
}

export type DataCall = RecordCall &
  Pick<DataContext, 'enter' | 'nextTurn' | 'api'> &
  Pick<RequestContext, 'log'>

/**
 * Enough for the largest requests of people and tools. Each list and each write also waits for its
 * turn in the database.
 */
const transport: Omit<GraphQLTransport, 'introspection'> = {
  maxTokens: 5_000,
  limits: {
    maxDefinitions: 20,
    maxDepth: 6,
    maxAliases: 60,
    maxRepeats: 5,
    maxCost: 3_000,
    mutationCost: 30,
    queryCost: 100,
    schemaAliasCost: 2_000,
  },
}

export function createDataGraphQL(deps: { schemas: SchemaCache }): DataGraphQL {
  const limited = { ...transport, introspection: new Introspection() }
  return {
    async execute(request, { log, enter, nextTurn, api, ...call }) {
      const environment = await enter(() => deps.schemas.of(call.auth.tenant))
      const { tables } = environment
      const seen = tables.flatMap((table) => tableSeenBy(call.auth, table) ?? [])
      const context: DataContext = { call, api, enter, nextTurn, pageBytes: maxPageBytes }
      return answerGraphQL(limited, {
        client: call.auth.tenant.projectId,
        context,
        request,
        log,
        schemaFor(document) {
          context.pageBytes = Math.ceil(maxPageBytes / Math.max(1, listsIn(document, tables)))
          requireSeen(document, tables, seen)
          const schema = environment.only(seen)
          requireSoundVariables(document, schema, request.variables ?? {})
          return schema
        },
      })
    },
  }
}

type Tables = readonly TableDefinition[]

/** Counts the lists in a request: they share the size limit of the answer. */
function listsIn(document: DocumentNode, tables: Tables): number {
  const lists = new Set(tables.map(({ name }) => graphqlNames(name).list))
  let count = 0
  visit(document, {
    Field({ name }) {
      if (lists.has(name.value)) count++
    },
  })
  return count
}

/**
 * Refuses a request that names a table which the caller may not use at all. This comes before
 * validation, whose errors would reveal the table's columns.
 */
function requireSeen(document: DocumentNode, tables: Tables, seen: Tables): void {
  if (seen.length === tables.length) return
  const known = new Set(seen.map(({ name }) => name))
  const hidden = new Set(tables.flatMap(({ name }) => (known.has(name) ? [] : namesIn(name))))
  const refuse = ({ name }: { name: { value: string } }) => {
    if (!hidden.has(name.value)) return
    throw new AppError('FORBIDDEN', 'None of your roles allows this')
  }
  visit(document, { Field: refuse, NamedType: refuse })
}

const namesIn = (table: string): string[] => Object.values(graphqlNames(table))
