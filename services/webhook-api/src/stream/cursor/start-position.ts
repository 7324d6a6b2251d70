import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import { changesKeptMs } from '@surehook/contracts/topics'
import type { LogEnds, PartitionBounds, PartitionOffset } from '@surehook/kafka/offsets/log-ends'
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
  /** When the environment was made, in epoch milliseconds. */
  madeAt: number
  /** The environment's first offset of each partition. */
  first: readonly number[]
  now: () => number
}

export type StartAsked = Pick<StreamQuery, 'from' | 'cursor'> & {
  /** The header `Last-Event-ID`. An empty one counts as absent. */
  lastEventId: string | undefined
}

const offsetsWithinMs = 10_000

/**
 * Returns the position where a stream begins. Throws VALIDATION_ERROR for a cursor that has expired
 * or is of another environment, and for a time before the log. A cursor of an earlier environment of
 * the same name has expired.
 */
export async function startPosition(deps: StartDeps, asked: StartAsked): Promise<Position> {
  const { cursor, from = 'now', lastEventId } = asked
  if (lastEventId) return fromCursor(deps, 'Last-Event-ID', lastEventId)
  if (cursor !== undefined) return fromCursor(deps, 'cursor', cursor)
  if (from === 'now') {
    const ends = await bounded(deps.ends.read())
    return positionOf(ends.map(({ end, ...of }) => ({ ...of, offset: end })))
  }
  const offsets = await bounded(deps.ends.readAt(timeOf(from, deps.now())))
  return positionOf(
    offsets.map(({ offset, ...of }) => ({
      ...of,
      offset: Math.max(offset, deps.first[of.partition] ?? 0),
    })),
  )
}

async function fromCursor(
  { ends, cursors, tenant, madeAt, first }: StartDeps,
  field: string,
  text: string,
): Promise<Position> {
  const cursor = cursors.decode(text, tenant)
  if (cursor === null) {
    const message = 'must be a cursor that this environment gave'
    throw invalid([{ field, message, rule: 'invalid_cursor' }])
  }
  const { position } = cursor
  const isOthers = cursor.madeAt !== madeAt
  const bounds = await bounded(ends.readBounds())
  const startOf = ({ partition, start }: PartitionBounds) => Math.max(start, first[partition] ?? 0)
  if (isOthers || bounds.some((of) => position.at(of.partition) < startOf(of))) {
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
