import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import { changesKeptMs } from '@surehook/contracts/topics'
import type { LogEnds, PartitionOffset } from '@surehook/kafka/offsets/log-ends'
import { boundedBy } from '@surehook/service-kit/bounded'
import { invalid } from '@surehook/service-kit/errors'
import { parseDuration } from '@surehook/service-kit/time'
import type { Tenant } from '../../tenants/tenant.ts'
import type { CursorCodec } from './cursor.ts'
import { Position } from './position.ts'

export type StartDeps = {
  ends: Pick<LogEnds, 'read' | 'readBounds' | 'readAt'>
  cursors: CursorCodec
  tenant: Tenant
  now: () => number
}

export type StartAsked = Pick<StreamQuery, 'from' | 'cursor'> & {
  /** The header `Last-Event-ID`. An empty one counts as absent. */
  lastEventId: string | undefined
}

const offsetsWithinMs = 10_000

/**
 * Returns the position where a stream begins. Throws VALIDATION_ERROR for a cursor that has expired
 * or is of another environment, and for a time before the log.
 */
export async function startPosition(deps: StartDeps, asked: StartAsked): Promise<Position> {
  const { cursor, from = 'now', lastEventId } = asked
  if (lastEventId) return fromCursor(deps, 'Last-Event-ID', lastEventId)
  if (cursor !== undefined) return fromCursor(deps, 'cursor', cursor)
  if (from === 'now') {
    const ends = await bounded(deps.ends.read())
    return positionOf(ends.map(({ end, ...of }) => ({ ...of, offset: end })))
  }
  return positionOf(await bounded(deps.ends.readAt(timeOf(from, deps.now()))))
}

async function fromCursor(
  { ends, cursors, tenant }: StartDeps,
  field: string,
  text: string,
): Promise<Position> {
  const position = cursors.decode(text, tenant)
  if (position === null) {
    const message = 'must be a cursor that this environment gave'
    throw invalid([{ field, message, rule: 'invalid_cursor' }])
  }
  const bounds = await bounded(ends.readBounds())
  if (bounds.some(({ partition, start }) => position.at(partition) < start)) {
    const message = 'has expired: the log no longer has the changes behind it'
    throw invalid([{ field, message, rule: 'out_of_range' }])
  }
  // After an unclean failover the log may end earlier. Its next records have these offsets.
  return positionOf(
    bounds.map(({ end, ...of }) => ({ ...of, offset: Math.min(end, position.at(of.partition)) })),
  )
}

function timeOf(from: string, now: number): number {
  const at = /^\d+[a-z]+$/.test(from) ? now - parseDuration(from) : Date.parse(from)
  if (at >= now - changesKeptMs) return at
  const days = changesKeptMs / 86_400_000
  throw invalid([
    { field: 'from', message: `must be at most ${days} days ago`, rule: 'out_of_range' },
  ])
}

const positionOf = (offsets: readonly PartitionOffset[]): Position =>
  new Position(offsets.toSorted((a, b) => a.partition - b.partition).map(({ offset }) => offset))

const bounded = <T>(offsets: Promise<T>): Promise<T> =>
  boundedBy(offsetsWithinMs, offsets, 'Kafka did not return its offsets in time')
