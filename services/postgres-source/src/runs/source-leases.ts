import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { SourceRow } from '../source-row.ts'

export const leaseS = 20

export type HeldSources = {
  held: readonly SourceRow[]
  /** Those above the fair share: another replica can take them once they are released. */
  excess: readonly SourceRow[]
}

/** The sources of this replica. The replicas share all sources evenly. */
export class SourceLeases {
  readonly owner = randomUUID()
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Extends the leases, and takes free sources up to a fair share. */
  async extend(): Promise<HeldSources> {
    // An installation without sources writes nothing.
    if (!(await this.#hasSources())) return { held: [], excess: [] }
    const { owner } = this
    const share = await this.#share()
    const { rows } = await this.#pool.query<SourceRow>(
      `update source set leased_until = now() + make_interval(secs => ${leaseS})
        where owner = $1 returning *`,
      [owner],
    )
    if (rows.length >= share) return { held: rows.slice(0, share), excess: rows.slice(share) }
    const { rows: taken } = await this.#pool.query<SourceRow>(
      `update source set owner = $1, leased_until = now() + make_interval(secs => ${leaseS})
        where id in (
          select id from source where leased_until is null or leased_until < now()
           order by leased_until nulls first, id limit $2 for update skip locked)
       returning *`,
      [owner, share - rows.length],
    )
    return { held: [...rows, ...taken], excess: [] }
  }

  async #hasSources(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ exists: boolean }>(
      'select exists (select from source)',
    )
    return rows[0]?.exists === true
  }

  /** How many sources this replica should hold. */
  async #share(): Promise<number> {
    await this.#pool.query(
      `insert into replica (id, seen_at) values ($1, now())
       on conflict (id) do update set seen_at = excluded.seen_at`,
      [this.owner],
    )
    const { rows } = await this.#pool.query<{ share: number }>(
      `with gone as (
         delete from replica where seen_at < now() - make_interval(secs => 2 * ${leaseS}))
       select ceil((select count(*) from source)::float8 / count(*))::int as share
         from replica where seen_at >= now() - make_interval(secs => ${leaseS})`,
    )
    return rows[0]?.share ?? 0
  }

  async release(ids: readonly string[]): Promise<void> {
    await this.#pool.query(
      `update source set owner = null, leased_until = null where owner = $1 and id = any($2)`,
      [this.owner, ids],
    )
  }

  /** Releases all sources, and leaves the replicas. */
  async leave(): Promise<void> {
    const { owner } = this
    await this.#pool.query(
      `with left_replica as (delete from replica where id = $1)
       update source set owner = null, leased_until = null where owner = $1`,
      [owner],
    )
  }
}
