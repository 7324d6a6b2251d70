import { describe, expect, it } from '@jest/globals'
import type { ReadPosition } from '@surehook/kafka/readers/log-fetcher'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import fc from 'fast-check'
import { offsetByTime, Position } from '../cursor/position.ts'
import { ChangeSource, type Portion } from './change-source.ts'
import type { LoggedEntry } from './logged-entry.ts'
import { type Piece, RecentChanges } from './recent-changes.ts'

const shop = { projectId: 'shop', environment: 'live' }
const live = new AbortController().signal

type Row = { partition: number; tenant: 'shop' | 'bank' }

/** Pieces with one record each, and the log from which a reader fetches. */
function logOf(rows: readonly Row[], partitions: number) {
  const offsets = Array.from({ length: partitions }, () => 0)
  const records = rows.map(({ partition, tenant }) => {
    const offset = offsets[partition] ?? 0
    offsets[partition] = offset + 1
    return { partition, tenant, offset }
  })
  const entryOf = (offset: number) => ({ offset }) as LoggedEntry
  const pieces = records.map(
    ({ partition, tenant, offset }): Piece => ({
      ...{ partition, next: offset + 1, bytes: 1 },
      entries: new Map([[`${tenant}/live`, [entryOf(offset)]]]),
    }),
  )
  return { records, pieces }
}

/** Returns what a client gets from the source: `partition:offset` of each of its records. */
async function drain(source: ChangeSource, position: Position): Promise<string[]> {
  const seen: string[] = []
  for (let portion: Portion | null; (portion = await source.next(0, live)) !== null; ) {
    for (const { partition, next, entries } of portion.pieces) {
      for (const { offset } of entries) {
        if (offset < position.at(partition)) continue
        seen.push(`${partition}:${offset}`)
        position.advance(partition, offset + 1)
      }
      position.advance(partition, next)
    }
    portion[Symbol.dispose]()
  }
  return seen
}

describe('a stream', () => {
  const rows = fc.array(
    fc.record({ partition: fc.nat(2), tenant: fc.constantFrom('shop' as const, 'bank' as const) }),
    { maxLength: 40 },
  )

  it('gives each own record once and in order, wherever it begins and whatever the tail has dropped', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        rows,
        fc.nat(5),
        fc.array(fc.nat(40), { maxLength: 6 }),
        async (...of) => {
          const [before, after, kept, reads] = of
          const { records, pieces } = logOf([...before, ...after], 3)
          const begun = new Position([0, 0, 0])
          for (const { partition, next } of pieces.slice(0, before.length))
            begun.advance(partition, next)
          const recent = new RecentChanges(begun, kept)
          const position = new Position([0, 0, 0])
          const source = new ChangeSource(
            {
              recent,
              // Kafka's log, which has every record.
              fetcher: {
                fetchAll: async (places) =>
                  places.map(({ partition, offset }) => ({
                    partition,
                    next: recent.end.at(partition),
                    messages: records
                      .filter((record) => record.partition === partition && record.offset >= offset)
                      .filter((record) => record.offset < recent.end.at(partition))
                      .map((record) => messageOf(record)),
                  })),
              },
              slots: new FairSlots({ room: { all: 1 } }),
              ...others,
            },
            shop,
            position,
          )
          const seen: string[] = []
          for (const [index, piece] of pieces.slice(before.length).entries()) {
            if (reads.includes(index)) seen.push(...(await drain(source, position)))
            recent.append(piece)
          }
          seen.push(...(await drain(source, position)))
          for (const partition of [0, 1, 2]) {
            const own = records.filter(
              (one) => one.partition === partition && one.tenant === 'shop',
            )
            expect(seen.filter((one) => one.startsWith(`${partition}:`))).toEqual(
              own.map(({ offset }) => `${partition}:${offset}`),
            )
          }
          expect(position.offsets).toEqual(recent.end.offsets)
        },
      ),
    )
  })

  it('wakes for its own tenant only, and its position passes what others have', async () => {
    const { pieces } = logOf(
      [
        { partition: 0, tenant: 'bank' },
        { partition: 1, tenant: 'bank' },
        { partition: 0, tenant: 'shop' },
      ],
      2,
    )
    const recent = new RecentChanges(new Position([0, 0]), 1)
    const position = new Position([0, 0])
    const deps = {
      recent,
      fetcher: { fetchAll: nothing },
      slots: new FairSlots({ room: { all: 1 } }),
    }
    const source = new ChangeSource({ ...deps, ...others }, shop, position)
    const next = source.next(60_000, live)
    for (const piece of pieces) recent.append(piece)
    const portion = await next
    expect(portion?.pieces).toMatchObject([{ partition: 0, next: 2 }])
    expect(position.offsets).toEqual([1, 1])
  })
})

it('gives the records of a partition that had no leader when the stream began, and of no other twice', async () => {
  const rows = [0, 1, 0, 1, 0].map((partition) => ({ partition, tenant: 'shop' as const }))
  const { records, pieces } = logOf(rows, 2)
  const recent = new RecentChanges(new Position([0, offsetByTime(1)]), 1_000)
  const position = new Position([0, offsetByTime(2)])
  const fetched: string[] = []
  const deps = {
    ...{ recent, slots: new FairSlots({ room: { all: 1 } }), ...others },
    fetcher: {
      fetchAll: async (places: readonly ReadPosition[]) =>
        places.map(({ partition, offset }) => {
          fetched.push(`${partition}:${offset}`)
          const of = records.filter((one) => one.partition === partition && one.offset >= offset)
          return { partition, next: recent.end.at(partition), messages: of.map(messageOf) }
        }),
    },
    offsetsAt: async (timeMs: number) => new Map(timeMs === 2 ? [[1, 1]] : []),
  }
  const source = new ChangeSource(deps, shop, position)
  const append = (partition: number) => {
    for (const piece of pieces) if (piece.partition === partition) recent.append(piece)
  }
  append(0)
  const seen = await drain(source, position)
  expect([seen, position.unknown]).toEqual([['0:0', '0:1', '0:2'], [{ partition: 1, timeMs: 2 }]])
  // The partition has a leader again. A stream with a cursor behind its beginning reads it as well.
  recent.begin(1, 1)
  append(1)
  const behind = new Position([3, 0])
  expect(await drain(source, position)).toEqual(['1:1'])
  expect(await drain(new ChangeSource(deps, shop, behind), behind)).toEqual(['1:0', '1:1'])
  expect([position.offsets, behind.offsets, fetched]).toEqual([[3, 2], [3, 2], ['1:0']])
})

it('goes on with the others while it is behind in a partition without a leader', async () => {
  const rows = [0, 1, 0, 1, 0].map((partition) => ({ partition, tenant: 'shop' as const }))
  const { records, pieces } = logOf(rows, 2)
  const recent = new RecentChanges(new Position([0, 1]), 1_000)
  const position = new Position([0, 0])
  let isLed = false
  const deps = {
    ...{ recent, slots: new FairSlots({ room: { all: 1 } }), ...others },
    fetcher: {
      fetchAll: async (places: readonly ReadPosition[]) =>
        places.map(({ partition, offset }) => {
          if (!isLed) return { partition, next: offset, messages: [] }
          const of = records.filter((one) => one.partition === partition && one.offset === offset)
          return { partition, next: offset + 1, messages: of.map(messageOf) }
        }),
    },
  }
  const source = new ChangeSource(deps, shop, position)
  for (const piece of pieces) recent.append(piece)
  for (let read = 0; read < 3; read++) {
    const portion = await source.next(0, live)
    expect(portion?.pieces).toMatchObject([{ partition: 0, next: read + 1 }])
    position.advance(0, read + 1)
  }
  expect((await source.next(0, live))?.pieces).toEqual([])
  isLed = true
  expect(await drain(source, position)).toEqual(['1:0', '1:1'])
  expect(position.offsets).toEqual([3, 2])
})

it('skips nothing of a partition whose leader returns while a stream waits', async () => {
  const rows = [0, 1, 1].map((partition) => ({ partition, tenant: 'shop' as const }))
  const [first, ...later] = logOf(rows, 2).pieces
  const message = messageOf({ tenant: 'shop', offset: 0 })
  const recent = new RecentChanges(new Position([0, offsetByTime(1)]), 1_000)
  const position = new Position([0, 0])
  const source = new ChangeSource(
    {
      ...{ recent, slots: new FairSlots({ room: { all: 1 } }), ...others },
      fetcher: {
        fetchAll: async () => [{ partition: 1, next: 1, messages: [message] }],
      },
    },
    shop,
    position,
  )
  const next = source.next(60_000, live)
  await new Promise((resolve) => setImmediate(resolve))
  recent.begin(1, 1)
  for (const piece of later) recent.append(piece)
  expect((await next)?.pieces[0]?.entries.map(({ offset }) => offset)).toEqual([0])
  position.advance(1, 1)
  if (first !== undefined) recent.append(first)
  expect((await drain(source, position)).toSorted()).toEqual(['0:0', '1:1'])
})

const others = {
  ...{ codec: {} as never, log: {} as never },
  offsetsAt: async () => new Map<number, number>(),
}

const nothing = async () => {
  throw new Error('nothing is read from Kafka')
}

function messageOf({ tenant, offset }: { tenant: string; offset: number }) {
  const key = Buffer.from(`${tenant}/live/orders/1`)
  const rest = { timestamp: '0', attributes: 0, headers: {} }
  return { key, value: Buffer.from('x'), offset: String(offset), ...rest }
}
