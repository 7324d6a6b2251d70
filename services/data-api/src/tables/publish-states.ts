import type { Relay } from '@surehook/change-capture/relay/relay'
import type { Pool } from 'pg'

const pageSize = 200

/**
 * Publishes the tables whose state lacks a field, because an older data-api relayed it. It works
 * while this process relays. Resolves with whether there may be more. The trigger of the table
 * publishes it.
 */
export async function publishStates(pool: Pool, relay: Pick<Relay, 'role'>): Promise<boolean> {
  if (relay.role !== 'leader') return false
  const { rowCount } = await pool.query(
    `update table_definition set access_published = true, source_published = true
      where id in (select id from table_definition
                    where not access_published or (source is not null and not source_published)
                    order by id limit ${pageSize} for update)`,
  )
  return rowCount === pageSize
}
