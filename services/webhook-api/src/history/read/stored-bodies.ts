import type { DeliveryJob } from '@surehook/contracts/events'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { RecordPosition, RecordReader } from '@surehook/kafka/readers/record-reader'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'
import { text } from '../rows/storable-text.ts'

/** The body of a row: the bytes, their place on `webhook.deliveries`, or neither yet. */
export type BodyOfRow = {
  id: string
  subscription_id: string
  project_id: string
  environment: string
  body: Buffer | null
  job_partition: number | null
  job_offset: string | null
}

/** `unread`: the log has not read the job yet. `gone`: the topic no longer has it. */
export type StoredBody = Buffer | 'unread' | 'gone'

export type StoredBodies = {
  /** Rejects with SERVICE_UNAVAILABLE while Kafka is unreachable. */
  find(row: BodyOfRow): Promise<StoredBody>
  /**
   * Returns the bodies of the first rows, in order, until they have about `bytes` together. At
   * least one row gets its body.
   */
  findFirst(rows: readonly BodyOfRow[], bytes: number): Promise<StoredBody[]>
}

export type StoredBodiesDeps = {
  reader: Pick<RecordReader, 'readFrom'>
  codec: Pick<EventCodec, 'job'>
}

/** A fetch returns whole batches, so it may return more than this. */
const oneRecord = 1
const manyRecords = 1024 * 1024

/** The last piece read of a partition: everything between two offsets. */
type Piece = { from: number; messages: readonly KafkaMessage[] }

/** Reads bodies from a row, or from the topic of the jobs. */
export function storedBodies({ reader, codec }: StoredBodiesDeps): StoredBodies {
  const find = async (row: BodyOfRow, recordAt: (place: RecordPosition) => Promise<JobRecord>) => {
    if (row.body !== null) return row.body
    const place = placeOf(row)
    if (place === null) return 'unread'
    const job = await jobIn(codec, await recordAt(place))
    return job !== null && isJobOf(job, row) ? job.body : 'gone'
  }
  return {
    find: (row) =>
      find(row, async (place) => recordOf(await reader.readFrom(place, oneRecord), place)),
    async findFirst(rows, bytes) {
      const pieces = new Map<number, Piece>()
      const recordAt = async (place: RecordPosition) => {
        let piece = pieces.get(place.partition)
        if (piece === undefined || !covers(piece, place)) {
          piece = { from: place.offset, messages: await reader.readFrom(place, manyRecords) }
          pieces.set(place.partition, piece)
        }
        return recordOf(piece.messages, place)
      }
      const bodies: StoredBody[] = []
      let left = bytes
      for (const row of rows) {
        if (left <= 0) break
        const body = await find(row, recordAt)
        bodies.push(body)
        if (typeof body !== 'string') left -= body.length
      }
      return bodies
    },
  }
}

type JobRecord = KafkaMessage | undefined

const recordOf = (messages: readonly KafkaMessage[], { offset }: RecordPosition): JobRecord =>
  messages.find((message) => Number(message.offset) === offset)

const covers = ({ from, messages }: Piece, { offset }: RecordPosition): boolean =>
  offset >= from && offset <= Number(messages.at(-1)?.offset ?? -1)

/** A negative partition means that only the row has the body. */
function placeOf({ job_partition, job_offset }: BodyOfRow): RecordPosition | null {
  if (job_partition === null || job_offset === null || job_partition < 0) return null
  return { partition: job_partition, offset: Number(job_offset) }
}

async function jobIn(
  codec: Pick<EventCodec, 'job'>,
  message: JobRecord,
): Promise<DeliveryJob | null> {
  if (message === undefined || message.value === null) return null
  try {
    return await codec.job.decode(message.value)
  } catch (err) {
    if (err instanceof UndecodableError) return null
    throw err
  }
}

/** If the topic was recreated, the offset may hold another tenant's delivery. */
function isJobOf(job: DeliveryJob, row: BodyOfRow): boolean {
  return (
    job.deliveryId.toLowerCase() === row.id &&
    job.subscriptionId.toLowerCase() === row.subscription_id &&
    text(job.projectId) === row.project_id &&
    text(job.environment) === row.environment
  )
}
