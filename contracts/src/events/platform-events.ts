import type { TableSource } from '../http/data/table-source.ts'
import type { LogPosition } from './log-position.ts'

/** Topic `platform.environments`, compacted; key `project/environment`. */
export type EnvironmentState = {
  projectId: string
  environment: string
  /** Full settings as JSON, as `PUT /auth/admin/…` returns them. */
  settings: string
  updatedAt: string
  /**
   * ISO 8601 time of the deletion, or `null`. After a deletion each service deletes its data of the
   * environment.
   */
  deletedAt: string | null
  /** Increases when all keys are replaced at once. What a service knows of them is then invalid. */
  keyEpoch: number
  /** ISO 8601. An earlier environment of the same name has another. `null`: not known. */
  createdAt: string | null
  /** Its first offsets on `changes`. Earlier records are not its own. `null`: not known. */
  changesFrom: LogPosition | null
}

/** Topic `platform.environment-purges`, compacted; key `project/environment/service`. */
export type EnvironmentPurge = {
  projectId: string
  environment: string
  /** The service that has deleted all its data of the environment. */
  service: string
  /**
   * `deletedAt` of the environment's state. Identifies the deletion: the same name can be deleted
   * more than once.
   */
  deletedAt: string
}

/** Topic `platform.management-tokens`, compacted; key: token id; a tombstone revokes. */
export type ManagementTokenState = {
  id: string
  projectId: string
  name: string
  /** Lowercase hex SHA-256 of the token. */
  tokenHash: string
  /** `null`: every environment of the project. */
  environments: string[] | null
  createdAt: string
  expiresAt: string | null
  /** `null`: all. A reader ignores a right that it does not know. */
  rights: string[] | null
}

/** Topic `platform.tables`, compacted; key `project/environment/name`; a tombstone drops. */
export type TableState = {
  projectId: string
  environment: string
  name: string
  /**
   * Columns that a client defined: the table also has `id`, `createdAt` and `updatedAt`. A table of
   * a source has all its known columns here, and no others.
   */
  columns: StateColumn[]
  updatedAt: string
  /** JSON: the roles and rules of `access.read`. `null` if an older data-api wrote it. */
  access: string | null
  /** Tells the table from an earlier one of its name. `null` if an older data-api wrote it. */
  createdAt: string | null
  /** Where its rows are. `null`: in the data API. */
  source: TableSource | null
}

/** `type`: one of `ColumnType`. */
export type StateColumn = { name: string; type: string }

/**
 * Topic `platform.source-columns`, compacted; key `project/environment/table`. The columns that
 * postgres-source found for a table of a source.
 */
export type SourceColumnsState = {
  projectId: string
  environment: string
  table: string
  /** `createdAt` of the table's state. An earlier table of the name had another. */
  tableCreatedAt: string
  columns: StateColumn[]
  /** ISO 8601. Later columns replace earlier ones. */
  updatedAt: string
}
