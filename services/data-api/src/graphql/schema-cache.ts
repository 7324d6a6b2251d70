import { type AppError, invalid } from '@surehook/service-kit/errors'
import type { GraphQLSchema } from 'graphql'
import type { Pool } from 'pg'
import type { CatalogueTable, TableDefinition, Tenant } from '../table-definition.ts'
import { findTables, findVersions } from '../tables/table-catalogue.ts'
import { buildSchema } from './build-schema.ts'

export type EnvironmentSchema = {
  tables: readonly TableDefinition[]
  /** Builds the schema for some of the tables and their columns, or for all. */
  only(tables: readonly TableDefinition[]): GraphQLSchema
}

export type SchemaCache = {
  /** Returns the schema of the present tables, without those of sources. */
  of(tenant: Tenant): Promise<EnvironmentSchema>
}

type CachedSchema = EnvironmentSchema & { versions: string; weight: number; isTooLarge: boolean }

/** The limit per environment, because the cost of an introspection query grows with the columns. */
const maxColumns = 2_000
/** The limit over all cached schemas, because each column is several objects. */
const maxWeight = 100_000

export function createSchemaCache(pool: Pool): SchemaCache {
  /** Least recently used first. */
  const known = new Map<string, CachedSchema>()
  let weight = 0

  function forget(key: string): void {
    weight -= known.get(key)?.weight ?? 0
    known.delete(key)
  }

  function keep(key: string, schema: CachedSchema): CachedSchema {
    forget(key)
    known.set(key, schema)
    weight += schema.weight
    for (const longestUnused of known.keys()) {
      if (weight <= maxWeight || longestUnused === key) break
      forget(longestUnused)
    }
    return schema
  }

  return {
    async of(tenant) {
      const key = JSON.stringify([tenant.projectId, tenant.environment])
      const cached = known.get(key)
      // Other replicas also change tables, so each request reads the versions, with one index
      // look-up.
      const isCurrent =
        cached !== undefined && cached.versions === (await findVersions(pool, tenant))
      const schema = keep(key, isCurrent ? cached : build(await findTables(pool, tenant)))
      if (schema.isTooLarge) throw tooLarge()
      return schema
    },
  }
}

function build(all: readonly CatalogueTable[]): CachedSchema {
  const versions = all.map(({ id, version }) => `${id}.${version}`).join()
  const tables = all.filter(({ source }) => source === null) as TableDefinition[]
  const columns = tables.reduce((sum, table) => sum + table.columns.length, 0)
  // Kept too, so that a refused request does not read all tables.
  if (columns > maxColumns) {
    return { tables: [], versions, only: createOnly(), weight: tables.length, isTooLarge: true }
  }
  const weight = maxViews * (columns + 10 * tables.length + 10)
  return { tables, versions, only: createOnly(), weight, isTooLarge: false }
}

function tooLarge(): AppError {
  const message = `GraphQL is for environments of at most ${maxColumns} columns: use REST`
  return invalid([{ field: 'query', message, rule: 'invalid_query' }])
}

/**
 * The number of cached schemas per environment: one of all its tables, and one for each of some
 * roles.
 */
const maxViews = 3

function createOnly(): EnvironmentSchema['only'] {
  /** Least recently used first. */
  const views = new Map<string, GraphQLSchema>()
  return (tables) => {
    const key = JSON.stringify(
      tables.map(({ name, columns }) => [name, ...columns.map((column) => column.name)]),
    )
    const schema = views.get(key) ?? buildSchema(tables)
    views.delete(key)
    views.set(key, schema)
    const [longestUnused] = views.keys()
    if (views.size > maxViews && longestUnused !== undefined) views.delete(longestUnused)
    return schema
  }
}
