import { invalid } from '@surehook/service-kit/errors'
import type { GraphQLSchema } from 'graphql'
import type { Pool } from 'pg'
import { findTables, findVersions } from '../tables/table-catalogue.ts'
import type { TableDefinition, Tenant } from '../tables/table-definition.ts'
import { buildSchema } from './build-schema.ts'

export type EnvironmentSchema = {
  tables: readonly TableDefinition[]
  /** The schema of some of the tables, or of all. */
  only(tables: readonly TableDefinition[]): GraphQLSchema
}

export type SchemaCache = {
  /** The schema of the tables as they are now. */
  of(tenant: Tenant): Promise<EnvironmentSchema>
}

type Known = EnvironmentSchema & { versions: string; weight: number }

/** Of one environment: what a question about its schema costs grows with them. */
const maxColumns = 2_000
/** Of all schemas together: each column is several objects. */
const maxWeight = 100_000

export function createSchemaCache(pool: Pool): SchemaCache {
  /** The longest unused first. */
  const known = new Map<string, Known>()
  let weight = 0

  function forget(key: string): void {
    weight -= known.get(key)?.weight ?? 0
    known.delete(key)
  }

  function keep(key: string, schema: Known): Known {
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
      // Tables change under other replicas too: asked each time, by one look at an index.
      if (cached !== undefined && cached.versions === (await findVersions(pool, tenant))) {
        return keep(key, cached)
      }
      const tables = await findTables(pool, tenant)
      return keep(key, build(tables))
    },
  }
}

function build(tables: readonly TableDefinition[]): Known {
  const columns = tables.reduce((sum, table) => sum + table.columns.length, 0)
  if (columns > maxColumns) {
    const message = `GraphQL is for environments of at most ${maxColumns} columns: use REST`
    throw invalid([{ field: 'query', message }])
  }
  const versions = tables.map(({ id, version }) => `${id}.${version}`).join()
  const weight = maxViews * (columns + 10 * tables.length + 10)
  return { tables, versions, only: createOnly(), weight }
}

/** How many schemas of one environment are remembered: of all its tables, and of what some roles may use. */
const maxViews = 3

function createOnly(): EnvironmentSchema['only'] {
  /** The longest unused first. */
  const views = new Map<string, GraphQLSchema>()
  return (tables) => {
    const key = tables.map(({ name }) => name).join()
    const schema = views.get(key) ?? buildSchema(tables)
    views.delete(key)
    views.set(key, schema)
    const [longestUnused] = views.keys()
    if (views.size > maxViews && longestUnused !== undefined) views.delete(longestUnused)
    return schema
  }
}
