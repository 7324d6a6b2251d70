import type { SourceFinding } from '@surehook/contracts/http/sources'
import type { ClientBase, Pool } from 'pg'
import { readFacts } from '../catalogue/read-facts.ts'
import { readRelation } from '../catalogue/read-relation.ts'
import { identifier, judgeDatabase } from '../preparation/judge-database.ts'
import { readDatabase } from '../preparation/read-database.ts'
import { canFollow, FollowedTable } from '../rows/followed-table.ts'
import type { SourceRow } from '../source-row.ts'
import type { SourceTable } from '../tables/source-tables.ts'
import { type Followed, readKept, type StoredRelation } from './followed-store.ts'

export type PreparedSource = {
  findings: readonly SourceFinding[]
  /** By OID, the tables that can be captured. */
  following: ReadonlyMap<number, Followed>
  /** The same tables, with the columns that the catalogue has now. */
  tables: readonly FollowedTable[]
  /** Tables that were captured, and cannot be any more, or follow another relation now. */
  leftOut: readonly string[]
}

/** False if nothing can be captured. A finding about one relation leaves out only that one. */
export const isReady = ({
  findings,
  following,
}: Pick<PreparedSource, 'findings' | 'following'>): boolean =>
  following.size > 0 &&
  findings.every(({ level, relation }) => level !== 'wrong' || relation !== null)

/** Judges whether a source can be captured, and finds the relations that its tables follow. */
export async function prepareSource(
  db: { own: Pool; source: ClientBase },
  row: SourceRow,
  tables: readonly SourceTable[],
): Promise<PreparedSource> {
  const kept = await readKept(db, row, tables)
  const relations = tables.map(({ table, relation }) => nameOf(kept.get(table)) ?? relation)
  const { publication } = row
  const facts = await readDatabase(db.source, { publication, relations })
  const findings = judgeDatabase(facts, { publication, walBudget: Number(row.wal_budget) })
  if (tables.length === 0) findings.push(noTable(row.name))
  const following = new Map<number, Followed>()
  const followedTables: FollowedTable[] = []
  for (const [at, table] of tables.entries()) {
    const relation = relations[at] ?? table.relation
    const oid = facts.tables[at]?.oid ?? null
    if (oid === null || isWrong(findings, relation)) continue
    const { follows, found } = await follow(db.source, { table, oid, other: following.get(oid) })
    findings.push(...found)
    if (follows === null) continue
    following.set(oid, follows.followed)
    followedTables.push(follows.table)
  }
  const isLeftOut = ([table, { oid }]: [string, StoredRelation]) =>
    following.get(oid)?.table !== table
  const leftOut = [...kept].filter(isLeftOut).map(([table]) => table)
  return { findings, following, tables: followedTables, leftOut }
}

const nameOf = (kept: StoredRelation | undefined): string | null =>
  kept === undefined || kept.schema === null || kept.name === null
    ? null
    : `${identifier(kept.schema)}.${identifier(kept.name)}`

const isWrong = (findings: readonly SourceFinding[], relation: string): boolean =>
  findings.some((finding) => finding.level === 'wrong' && finding.relation === relation)

type Follows = { followed: Followed; table: FollowedTable }

/** Follows a relation for a table, if no other table does and `exclude` can be kept. */
async function follow(
  source: ClientBase,
  { table: of, oid, other }: { table: SourceTable; oid: number; other: Followed | undefined },
): Promise<{ follows: Follows | null; found: SourceFinding[] }> {
  const { table, relation, createdAt } = of
  if (other !== undefined) {
    return { follows: null, found: [followedTwice(relation, [other.table, table])] }
  }
  const now = await readRelation(source, oid)
  if (now === null) return { follows: null, found: [] }
  const facts = await readFacts(source, oid)
  const names = now.columns.map(({ name }) => name)
  const isInKey = (name: string) => facts.keyColumns.includes(name)
  const found = [
    ...of.exclude.filter((name) => !names.includes(name)).map((name) => noColumn(relation, name)),
    ...of.exclude.filter(isInKey).map((name) => isKey(relation, name)),
  ]
  const exclude = new Set(of.exclude)
  if (found.length > 0 || !canFollow(now, { exclude, facts })) return { follows: null, found }
  const { schema, name } = now
  const followed = { table, relation, createdAt, schema, name, exclude }
  return { follows: { followed, table: new FollowedTable(now, { table, exclude, facts }) }, found }
}

const wrong = (relation: string | null, says: string, advice: string): SourceFinding => ({
  ...{ level: 'wrong', relation, says, advice, sql: [] },
})

const noTable = (source: string): SourceFinding =>
  wrong(
    null,
    'No table follows this source',
    `Make a table with "source": "${source}" and the "relation" to follow.`,
  )

const followedTwice = (relation: string, names: readonly string[]): SourceFinding =>
  wrong(relation, `${names.join(' and ')} follow the same relation`, 'Delete one of the tables.')

const noColumn = (relation: string, name: string): SourceFinding =>
  wrong(
    relation,
    `${relation} has no column ${name}, which is to be left out`,
    'Correct `exclude` of the table.',
  )

const isKey = (relation: string, name: string): SourceFinding =>
  wrong(
    relation,
    `${name} cannot be left out: it is in the primary key of ${relation}, and so in each record's id`,
    'Correct `exclude` of the table.',
  )
