import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import { changesKeptMs } from '@surehook/contracts/topics'
import type { LogEnds, PartitionBounds } from '@surehook/kafka/offsets/log-ends'
import { boundedBy } from '@surehook/service-kit/bounded'
import { invalid } from '@surehook/service-kit/errors'
import { parseDuration } from '@surehook/service-kit/time'
import type { Tenant } from '../../tenants/tenant.ts'
import type { CursorCodec } from './cursor.ts'
import { offsetByTime, Position, timeOf } from './position.ts'

export type StartDeps = {
  ends: Pick<LogEnds, 'partitions' | 'readLed' | 'readAt'>
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
 * Returns the position where a stream begins. A partition without a leader gets a time instead of
 * an offset. Throws VALIDATION_ERROR for a cursor that has expired or is of another environment, and
 * for a time before the log. A cursor of an earlier environment of the same name has expired.
 */
export async function startPosition(deps: StartDeps, asked: StartAsked): Promise<Position> {
  const { cursor, from = 'now', lastEventId } = asked
  if (lastEventId) return fromCursor(deps, 'Last-Event-ID', lastEventId)
  if (cursor !== undefined) return fromCursor(deps, 'cursor', cursor)
  if (from === 'now') return endPosition(deps.ends, deps.now())
  const timeMs = timeFrom(from, deps.now())
  return positionOf(deps.ends, timeMs, await ownOffsetsAt(deps.ends, deps.first)(timeMs))
}

/** Returns the position behind the last record. */
export async function endPosition(
  ends: Pick<LogEnds, 'partitions' | 'readLed'>,
  now: number,
): Promise<Position> {
  const bounds = await bounded(ends.readLed())
  return positionOf(ends, now, new Map(bounds.map(({ partition, end }) => [partition, end])))
}

/** Returns a function that finds the own offsets of the first records at or after a time. */
export const ownOffsetsAt =
  (ends: Pick<LogEnds, 'readAt'>, first: readonly number[]) =>
  async (timeMs: number): Promise<ReadonlyMap<number, number>> => {
    const offsets = await bounded(ends.readAt(timeMs))
    // None of an earlier environment of the same name.
    return new Map(
      offsets.map(({ partition, offset }) => [partition, Math.max(offset, first[partition] ?? 0)]),
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
  const bounds = await bounded(ends.readLed())
  const startOf = ({ partition, start }: PartitionBounds) => Math.max(start, first[partition] ?? 0)
  if (isOthers || bounds.some((of) => position.at(of.partition) < startOf(of))) {
    const message = 'has expired: the log no longer has the changes behind it'
    throw invalid([{ field, message, rule: 'out_of_range' }])
  }
  // After an unclean failover the log may end earlier. Its next records have these offsets.
  for (const { partition, end } of bounds) {
    const at = position.at(partition)
    if (timeOf(at) === null) position.resolve(partition, Math.min(end, at))
  }
  return position
}

function timeFrom(from: string, now: number): number {
  const at = /^\d+[a-z]+$/.test(from) ? now - parseDuration(from) : Date.parse(from)
  if (at >= now - changesKeptMs) return at
  const days = changesKeptMs / 86_400_000
  throw invalid([
    { field: 'from', message: `must be at most ${days} days ago`, rule: 'out_of_range' },
  ])
}

async function positionOf(
  ends: Pick<LogEnds, 'partitions'>,
  timeMs: number,
  offsets: ReadonlyMap<number, number>,
): Promise<Position> {
  const partitions = await bounded(ends.partitions())
  return new Position(partitions.map((one) => offsets.get(one) ?? offsetByTime(timeMs)))
}

const bounded = <T>(offsets: Promise<T>): Promise<T> =>
  boundedBy(offsetsWithinMs, offsets, 'Kafka did not return its offsets in time')
