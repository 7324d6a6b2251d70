import type { Pool, PoolClient } from 'pg'
import { leaseS } from '../runs/source-leases.ts'
import type { SourceAccess, Tenant } from '../source-row.ts'

/** A slot that no source needs any more. Its `id` is that of the source that had it. */
export type LeftSlot = SourceAccess & {
  leftId: string
  name: string
  /** Includes this one. */
  attempts: number
  isLastAttempt: boolean
}

/** By then no replica reads the slot, or makes it once more: each saw the change, or lost its lease. */
const settledAfterS = leaseS + 2
/** A database that is away for a night or a day gets rid of its slot. */
const giveUpAfterS = 24 * 3_600
/** Nothing of a deleted environment stays for longer. */
const deletedEnvironmentGiveUpAfterS = 3_600
const [firstWaitS, longestWaitS] = [30, 600]

const columns = 'source_id, project_id, environment, name, url, ca, due_at, give_up_at'
const ofSource = `id, project_id, environment, name, url, ca,
  now() + make_interval(secs => ${settledAfterS}), now() + make_interval(secs => ${giveUpAfterS})`

/** Deletes a source. From then on its slot is a left one, also if the process ends now. */
export async function deleteSource(pool: Pool, id: string): Promise<void> {
  await pool.query(
    `with deleted as (delete from source where id = $1 returning *)
     insert into left_slot (${columns}) select ${ofSource} from deleted`,
    [id],
  )
}

/** Notes that the slot is left at the present address of a source, which gets another one. */
export async function leaveAddress(tx: PoolClient, id: string): Promise<void> {
  await tx.query(
    `insert into left_slot (${columns}) select ${ofSource} from source where id = $1`,
    [id],
  )
}

/**
 * Claims due slots. Nobody else gets them before their next attempt is due, also if the process
 * ends.
 */
export async function claimLeftSlots(pool: Pool, limit: number): Promise<LeftSlot[]> {
  const { rows } = await pool.query<LeftSlot>(
    `update left_slot
        set attempts = attempts + 1,
            due_at = now() + make_interval(
              secs => least(${longestWaitS}, ${firstWaitS} * 2 ^ least(attempts, 10)))
      where id in (
        select id from left_slot where due_at <= now()
         order by due_at limit $1 for update skip locked)
     returning id as "leftId", source_id as id, project_id, environment, name, url, ca, attempts,
       give_up_at <= now() as "isLastAttempt"`,
    [limit],
  )
  return rows
}

/** Forgets a slot, and with it how to connect to its database. */
export async function forgetLeftSlot(pool: Pool, leftId: string): Promise<void> {
  await pool.query('delete from left_slot where id = $1', [leftId])
}

export async function countLeftSlots(tx: PoolClient, projectId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from left_slot where project_id = $1',
    [projectId],
  )
  return rows[0]?.count ?? 0
}

/** The left slots of a deleted environment are given up sooner than others, and with them its URLs. */
export async function hastenLeftSlots(
  pool: Pool,
  { projectId, environment }: Tenant,
): Promise<void> {
  await pool.query(
    `update left_slot
        set give_up_at =
              least(give_up_at, now() + make_interval(secs => ${deletedEnvironmentGiveUpAfterS}))
      where project_id = $1 and environment = $2`,
    [projectId, environment],
  )
}
