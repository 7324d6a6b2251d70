import { parseLsn } from '@surehook/change-capture/slot/lsn'
import { walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { Client } from 'pg'

/**
 * History of a cluster's WAL. A restored cluster has a new timeline, which left the earlier one at
 * some position.
 */
export type ClusterHistory = {
  readonly systemId: string
  /**
   * True if the commit of a record is in this cluster's WAL. `null` for a record of another cluster
   * or without a position.
   */
  has(message: Pick<KafkaMessage, 'headers'>): boolean | null
}

export async function clusterHistory(db: Client): Promise<ClusterHistory> {
  const { rows } = await db.query<{ id: string; timeline: string }>(
    // The name of a WAL file begins with the timeline.
    `select system_identifier::text as id, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
       from pg_control_system()`,
  )
  const { id: systemId, timeline } = rows[0] ?? { id: '', timeline: '' }
  const forks = parseHistory(await historyFile(db, timeline))
  return {
    systemId,
    has({ headers }) {
      const [system, of = '', lsn = ''] = walPositionOf(headers)?.split('/') ?? []
      if (system !== systemId) return null
      if (of.toUpperCase() === timeline) return true
      const leftAt = forks.get(Number.parseInt(of, 16))
      return leftAt !== undefined && BigInt(`0x${lsn}`) < leftAt
    },
  }
}

/** The first timeline has no history file. */
async function historyFile(db: Client, timeline: string): Promise<string> {
  const { rows } = await db.query<{ text: string | null }>(
    `select pg_read_file('pg_wal/' || $1 || '.history', 0, 1000000, true) as text`,
    [timeline],
  )
  return rows[0]?.text ?? ''
}

/**
 * Parses the position at which each earlier timeline ended, from lines of `<timeline> <position>
 * <reason>`.
 */
export function parseHistory(text: string): Map<number, bigint> {
  const lines = text.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gim)
  return new Map(
    Array.from(lines, ([, timeline, lsn = '0/0']) => [Number(timeline), parseLsn(lsn)]),
  )
}
