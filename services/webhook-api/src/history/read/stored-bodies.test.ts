import { describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { aJob } from '@surehook/contracts/testing/samples'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { RecordPosition } from '@surehook/kafka/readers/record-reader'
import { UndecodableError } from '@surehook/schemas/codec'
import { type BodyOfRow, storedBodies } from './stored-bodies.ts'

const body = Buffer.from('the bytes of the topic')

/** A topic with these values by offset. One fetch returns three records. */
function setUp(log: ReadonlyMap<number, DeliveryJob | 'garbage' | null>) {
  const fetches: string[] = []
  const bodies = storedBodies({
    reader: {
      async readFrom({ partition, offset }: RecordPosition) {
        fetches.push(`${partition}/${offset}`)
        return [...log]
          .filter(([at]) => at >= offset)
          .slice(0, 3)
          .map(([at, job]) => ({
            offset: String(at),
            value: job && Buffer.from(job === 'garbage' ? job : String(at)),
          })) as KafkaMessage[]
      },
    },
    codec: {
      job: {
        encode: () => Buffer.alloc(0),
        decode: (bytes) => {
          const job = log.get(Number(bytes.toString()))
          if (job === undefined || job === null || job === 'garbage') {
            throw new UndecodableError('Not a job')
          }
          return job
        },
      },
    },
  })
  return { bodies, fetches }
}

const job = aJob({ body })
const row = (change: Partial<BodyOfRow> = {}): BodyOfRow => ({
  id: job.deliveryId,
  subscription_id: job.subscriptionId,
  project_id: job.projectId,
  environment: job.environment,
  body: null,
  job_partition: 2,
  job_offset: '7',
  ...change,
})

describe('find', () => {
  it('uses the body in the row without reading Kafka', async () => {
    const { bodies, fetches } = setUp(new Map())
    expect(await bodies.find(row({ body: Buffer.from('own') }))).toEqual(Buffer.from('own'))
    expect(await bodies.find(row({ job_partition: null, job_offset: null }))).toBe('unread')
    expect(await bodies.find(row({ job_partition: -1, job_offset: null }))).toBe('unread')
    expect(fetches).toEqual([])
  })

  it('reads the record at its place, whatever the spelling of its ids', async () => {
    const upper = { ...job, deliveryId: job.deliveryId.toUpperCase() }
    const { bodies, fetches } = setUp(new Map([[7, upper]]))
    expect(await bodies.find(row())).toEqual(body)
    expect(fetches).toEqual(['2/7'])
  })

  it.each<[string, Map<number, DeliveryJob | 'garbage' | null>]>([
    ['nothing', new Map()],
    ['a later record', new Map([[8, job]])],
    ['a tombstone', new Map([[7, null]])],
    ['no job', new Map([[7, 'garbage']])],
    ['another delivery', new Map([[7, { ...job, deliveryId: aJob().eventId }]])],
    ['another subscription', new Map([[7, { ...job, subscriptionId: aJob().eventId }]])],
    ['another project', new Map([[7, { ...job, projectId: 'other' }]])],
    ['another environment', new Map([[7, { ...job, environment: 'other' }]])],
  ])('treats %s at its place as no body', async (_what, log) => {
    expect(await setUp(log).bodies.find(row())).toBe('gone')
  })

  it('throws if Kafka is unreachable', async () => {
    const away = storedBodies({
      reader: { readFrom: () => Promise.reject(new Error('away')) },
      codec: { job: { encode: () => Buffer.alloc(0), decode: () => job } },
    })
    await expect(away.find(row())).rejects.toThrow('away')
  })
})

describe('findFirst', () => {
  const idOf = (n: number) => job.deliveryId.replace(/^./, String(n))
  const jobs = new Map([1, 2, 3, 4, 5, 7].map((n) => [n, { ...job, deliveryId: idOf(n) }]))
  const rowAt = (n: number) => row({ id: idOf(n), job_offset: String(n) })

  it('reads neighbouring records together, and seeks back only if needed', async () => {
    const { bodies, fetches } = setUp(jobs)
    const rows = [1, 2, 3, 5, 6, 4].map(rowAt)
    expect(await bodies.findFirst(rows, 1_000)).toEqual([body, body, body, body, 'gone', body])
    expect(fetches).toEqual(['2/1', '2/5', '2/4'])
  })

  it('ends when it has enough', async () => {
    const { bodies } = setUp(jobs)
    const rows = [1, 2, 3].map(rowAt)
    expect(await bodies.findFirst(rows, body.length + 1)).toHaveLength(2)
    expect(await bodies.findFirst(rows, 1)).toHaveLength(1)
    expect(await bodies.findFirst([], 1)).toEqual([])
  })
})
