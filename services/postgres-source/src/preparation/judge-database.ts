import { byteSize } from '@surehook/contracts/byte-size'
import type { SourceFinding } from '@surehook/contracts/http/sources'
import type { DatabaseFacts, TableFacts, Vendor } from './read-database.ts'

export type WantedSource = {
  publication: string
  /** WAL that the slot may keep, in bytes. */
  walBudget: number
}

/** The oldest version with row filters and column lists of publications in its catalogue. */
const oldestVersion = 15

/** All findings, those of the whole database first. None: the source can capture. */
export function judgeDatabase(facts: DatabaseFacts, wanted: WantedSource): SourceFinding[] {
  return [
    ...judgeServer(facts, wanted),
    ...judgePublication(facts, wanted),
    ...facts.tables.flatMap((table) => judgeTable(table, facts, wanted)),
  ]
}

type Parts = Partial<Pick<SourceFinding, 'relation' | 'advice' | 'sql'>>

const finding =
  (level: SourceFinding['level']) =>
  (says: string, { relation = null, advice = null, sql = [] }: Parts): SourceFinding => ({
    ...{ level, relation, says, advice, sql },
  })
const wrong = finding('wrong')
const warn = finding('warn')

function judgeServer(facts: DatabaseFacts, { walBudget }: WantedSource): SourceFinding[] {
  const found: SourceFinding[] = []
  const { version, host, role, keptWalMegabytes: kept } = facts
  if (version < oldestVersion) {
    const advice = `Upgrade to PostgreSQL ${oldestVersion} or newer.`
    found.push(wrong(`PostgreSQL has version ${version}`, { advice }))
  }
  if (facts.isStandby) {
    found.push(wrong('The server is a standby', { advice: 'Name the address of the primary.' }))
  }
  if (facts.walLevel !== 'logical') {
    found.push(wrong(`wal_level is ${facts.walLevel}`, walLevel[host]))
  }
  if (!facts.mayReplicate) {
    const sql = [
      host === 'rds'
        ? `GRANT rds_replication TO ${identifier(role)};`
        : `ALTER ROLE ${identifier(role)} REPLICATION;`,
    ]
    found.push(wrong(`The role ${role} may not replicate`, { sql }))
  }
  const says = (state: string) =>
    `max_slot_wal_keep_size is ${state}, and the budget of this source is ${byteSize(walBudget)}`
  if (kept === -1) {
    const megabytes = Math.ceil((2 * walBudget) / 2 ** 20)
    found.push(warn(says('unlimited'), keepSize(host, `${megabytes}MB`)))
  } else if (kept * 2 ** 20 < walBudget) {
    const advice = 'Raise it, or lower the budget: the server drops the slot first.'
    found.push(warn(says(byteSize(kept * 2 ** 20)), { advice }))
  }
  return found
}

const walLevel: Record<Vendor, Parts> = {
  postgresql: {
    sql: ["ALTER SYSTEM SET wal_level = 'logical';"],
    advice: 'Restart PostgreSQL afterwards.',
  },
  rds: { advice: 'Set rds.logical_replication = 1 in the parameter group, and reboot.' },
  'cloud-sql': { advice: 'Set the flag cloudsql.logical_decoding = on. The instance restarts.' },
  supabase: { advice: 'Supabase has it by default: ask its support.' },
  neon: { advice: 'Switch on logical replication in the settings of the Neon project.' },
}

function keepSize(host: Vendor, size: string): Parts {
  const setting = `max_slot_wal_keep_size = '${size}'`
  return host === 'postgresql'
    ? { sql: [`ALTER SYSTEM SET ${setting};`, 'SELECT pg_reload_conf();'] }
    : { advice: `Set ${setting} where the service keeps its settings.` }
}

function judgePublication(facts: DatabaseFacts, { publication }: WantedSource): SourceFinding[] {
  const name = identifier(publication)
  const published = facts.publication
  if (published === null) {
    const tables = facts.tables.filter(({ oid }) => oid !== null).map(({ relation }) => relation)
    const of = tables.length === 0 ? '' : ` FOR TABLE ${tables.join(', ')}`
    const sql = [`CREATE PUBLICATION ${name}${of} WITH (publish_via_partition_root = true);`]
    return [wrong(`There is no publication ${publication}`, { sql })]
  }
  const found: SourceFinding[] = []
  if (published.missing.length > 0) {
    const sql = [`ALTER PUBLICATION ${name} SET (publish = 'insert, update, delete, truncate');`]
    found.push(wrong(`The publication leaves out ${published.missing.join(', ')}`, { sql }))
  }
  if (!published.viaRoot && facts.tables.some(({ isPartitioned }) => isPartitioned)) {
    const sql = [`ALTER PUBLICATION ${name} SET (publish_via_partition_root = true);`]
    found.push(wrong('The publication names partitions instead of their table', { sql }))
  }
  return found
}

function judgeTable(
  table: TableFacts,
  { publication, role }: DatabaseFacts,
  wanted: WantedSource,
): SourceFinding[] {
  const { relation } = table
  if (table.oid === null) {
    const advice = 'Create it, correct its name, or let the role use its schema.'
    return [wrong(`There is no table ${relation}`, { relation, advice })]
  }
  const found: SourceFinding[] = []
  if (!table.hasPrimaryKey) {
    const advice = 'Add a primary key: it is the id of a record.'
    found.push(wrong(`${relation} has no primary key`, { relation, advice }))
  }
  if (table.replicaIdentity !== 'f') {
    const sql = [`ALTER TABLE ${relation} REPLICA IDENTITY FULL;`]
    const says = `The replica identity of ${relation} is not FULL: old and large values would be missing`
    found.push(wrong(says, { relation, sql }))
  }
  if (table.partialPartitions.length > 0) {
    // PostgreSQL logs a row by the identity of its partition.
    const sql = table.partialPartitions.map((one) => `ALTER TABLE ${one} REPLICA IDENTITY FULL;`)
    const says = `The replica identity of partitions of ${relation} is not FULL: old and large values would be missing`
    found.push(wrong(says, { relation, sql }))
  }
  const name = identifier(wanted.publication)
  if (publication !== null && !table.isPublished) {
    const sql = [`ALTER PUBLICATION ${name} ADD TABLE ${relation};`]
    found.push(wrong(`The publication lacks ${relation}`, { relation, sql }))
  }
  if (table.hasColumnList || table.hasRowFilter) {
    const what = table.hasColumnList ? 'columns' : 'rows'
    const sql = [
      `ALTER PUBLICATION ${name} DROP TABLE ${relation};`,
      `ALTER PUBLICATION ${name} ADD TABLE ${relation};`,
    ]
    const says = `The publication has only some ${what} of ${relation}: UPDATE fails with a column list, and events would be missing`
    found.push(wrong(says, { relation, sql, advice: 'Leave columns out with `exclude`.' }))
  }
  if (!table.maySelect) {
    const sql = [`GRANT SELECT ON ${relation} TO ${identifier(role)};`]
    found.push(wrong(`The role ${role} may not read ${relation}`, { relation, sql }))
  }
  return found
}

/** Quotes a name where SQL needs it. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
