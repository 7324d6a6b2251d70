import { setTimeout as sleep } from 'node:timers/promises'

/**
 * https://kafka.apache.org/protocol#protocol_api_keys, each with its oldest version, which has the
 * shortest answer.
 */
export const offered = {
  Fetch: [1, 0],
  Metadata: [3, 0],
  OffsetCommit: [8, 0],
  OffsetFetch: [9, 1],
  FindCoordinator: [10, 0],
  JoinGroup: [11, 0],
  Heartbeat: [12, 0],
  LeaveGroup: [13, 0],
  SyncGroup: [14, 0],
  ApiVersions: [18, 0],
} as const
export type RequestName = keyof typeof offered
export type Answer = (port: number) => Buffer | Promise<Buffer>

/** https://kafka.apache.org/protocol#protocol_error_codes */
export const leaderNotAvailable = 5
export const rebalanceInProgress = 27

export const topic = 'topic'
const brokerId = 1
/** Milliseconds that a fetch waits for records. */
const fetchWaitMs = 5

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

export const concat = (...parts: Buffer[]): Buffer => Buffer.concat(parts)
const text = (value: string) => concat(int16(Buffer.byteLength(value)), Buffer.from(value))
const sized = (value: Buffer) => concat(int32(value.length), value)
const list = (...items: Buffer[]) => concat(int32(items.length), ...items)
const ofPartition = (number: number, ...fields: Buffer[]) =>
  list(concat(text(topic), list(concat(int32(number), ...fields))))
const brokerAt = (port: number) => concat(int32(brokerId), text('127.0.0.1'), int32(port))

export const errorCode = int16

/** Response to a fetch of partition 0: one record at offset 0, or none. */
export function fetched(value?: string): Buffer {
  const message = (content: string) =>
    concat(int32(0), Buffer.from([0, 0]), int32(-1), sized(Buffer.from(content)))
  const records = value === undefined ? Buffer.alloc(0) : concat(int64(0), sized(message(value)))
  return ofPartition(0, int16(0), int64(1), sized(records))
}

/**
 * @param partitionErrors the error code of each partition. A partition with an error has no leader
 */
export function metadata(port: number, partitionErrors: readonly number[]): Buffer {
  const partitions = partitionErrors.map((error, number) => {
    const leader = error === 0 ? brokerId : -1
    return concat(int16(error), int32(number), int32(leader), list(), list())
  })
  return concat(list(brokerAt(port)), list(concat(int16(0), text(topic), list(...partitions))))
}

/** The member joins a group that another member leads, and gets partition 0. */
const joined = () =>
  concat(int16(0), int32(1), text('assigner'), text('leader'), text('member'), list())

export const assigned = (...numbers: number[]): Buffer => {
  const partitions = list(concat(text(topic), list(...numbers.map(int32))))
  return concat(int16(0), sized(concat(int16(0), partitions, sized(Buffer.alloc(0)))))
}

const versions = () => {
  const each = Object.values(offered).map(([key, version]) =>
    concat(int16(key), int16(version), int16(version)),
  )
  return concat(int16(0), list(...each), int32(0))
}

/** @param offsets of the partitions from 0 on. -1: the group has committed none */
export const committed = (...offsets: number[]): Buffer => {
  const partitions = offsets.map((offset, number) =>
    concat(int32(number), int64(offset), text(''), int16(0)),
  )
  return list(concat(text(topic), list(...partitions)))
}

export const everydayAnswers = (): Record<RequestName, Answer> => ({
  Fetch: () => sleep(fetchWaitMs, fetched()),
  Metadata: (port) => metadata(port, [0]),
  OffsetCommit: () => ofPartition(0, int16(0)),
  OffsetFetch: () => committed(0),
  FindCoordinator: (port) => concat(int16(0), brokerAt(port)),
  JoinGroup: joined,
  Heartbeat: () => errorCode(0),
  LeaveGroup: () => errorCode(0),
  SyncGroup: () => assigned(0),
  ApiVersions: versions,
})
