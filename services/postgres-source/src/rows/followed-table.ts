import type { FieldType } from '@surehook/contracts/filter/filter'
import type { RelationMessage, Tuple } from '../wal/pgoutput.ts'
import { type ValueText, valueTextOf } from './value-texts.ts'

/** What the catalogue knows of a table and the WAL does not say. */
export type CatalogueFacts = {
  /** Columns of the primary key, in its order. */
  keyColumns: readonly string[]
  /** Element types of the array types among the columns. */
  elementOids: ReadonlyMap<number, number>
}

type FollowedColumn = ValueText & {
  name: string
  /** Position in the tuple. */
  at: number
  /** `"name":` */
  label: string
}

/** False if a row would have no id, or a column that is to be left out could not be told. */
export function canFollow(
  { columns }: Pick<RelationMessage, 'columns'>,
  { exclude, facts: { keyColumns } }: Pick<FollowedTableOptions, 'exclude' | 'facts'>,
): boolean {
  const names = new Set(columns.map(({ name }) => name))
  return keyColumns.length > 0 && [...keyColumns, ...exclude].every((name) => names.has(name))
}

/** A table with the columns that it has at a position of the WAL. */
export class FollowedTable {
  /** The table's name in the environment. */
  readonly table: string
  readonly relation: RelationMessage
  readonly columns: readonly FollowedColumn[]
  readonly #key: readonly number[]

  /** `canFollow` must be true. */
  constructor(relation: RelationMessage, { table, exclude, facts }: FollowedTableOptions) {
    this.table = table
    this.relation = relation
    const columns = relation.columns.map(({ name, typeOid }, at) => ({
      ...valueTextOf(typeOid, facts.elementOids.get(typeOid)),
      ...{ name, at, label: `${JSON.stringify(name)}:` },
    }))
    // Left out here and not by a column list of the publication, with which the application's own
    // UPDATE fails under a full identity.
    this.columns = columns.filter(({ name }) => !exclude.has(name))
    this.#key = facts.keyColumns.map((name) => columns.findIndex((column) => column.name === name))
  }

  /** The types by which filters compare the fields. */
  get fields(): Map<string, FieldType> {
    return new Map(this.columns.map(({ name, type }) => [name, type]))
  }

  /**
   * The id of a row: PostgreSQL's text of its primary key. The texts of several columns are joined
   * by commas, with `%` and `,` percent-encoded, so that two keys never give one id.
   */
  recordId(row: Tuple): string {
    const [only, ...more] = this.#key.map((at) => row[at] ?? '')
    if (more.length === 0) return only ?? ''
    return this.#key.map((at) => encodeKeyPart(row[at] ?? '')).join(',')
  }

  /** The row as JSON text. */
  record(row: Tuple): string {
    const fields = this.columns.map(({ at, label, toJson }) => {
      const value = row[at]
      return label + (value === null || value === undefined ? 'null' : toJson(value))
    })
    return `{${fields.join(',')}}`
  }

  /** Names of the columns whose text differs. */
  changedFields(before: Tuple, row: Tuple): string[] {
    return this.columns.filter(({ at }) => before[at] !== row[at]).map(({ name }) => name)
  }
}

export type FollowedTableOptions = {
  table: string
  exclude: ReadonlySet<string>
  facts: CatalogueFacts
}

const encodeKeyPart = (text: string): string => text.replace(/[%,]/g, encodeURIComponent)
