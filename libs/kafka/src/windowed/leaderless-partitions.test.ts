import { beforeEach, describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import type { Consumer } from 'kafkajs'
import { pino } from 'pino'
import { PartitionReader } from '../consumer/partition-reader.ts'
import type { LogEnds } from '../offsets/log-ends.ts'
import { AssignedPartitions } from './assigned-partitions.ts'
import type { AssignedPartitionsOptions } from './windowed-consumer-options.ts'

const window = { messages: 16, bytes: 1_000_000 }
const topic = 't'

describe('partitions of which one has no leader', () => {
  const partitions = [0, 1]
  /** The partitions that have a leader. */
  let led: number[]
  let opened: number[]
  let paused: Set<number>

  function open() {
    const consumer = {
      seek() {},
      pause: ([at]: [{ partitions: number[] }]) => at.partitions.forEach((one) => paused.add(one)),
      resume: ([at]: [{ partitions: number[] }]) =>
        at.partitions.forEach((one) => paused.delete(one)),
    } as unknown as Consumer
    const bounds = (asked: number[]) =>
      asked
        .filter((one) => led.includes(one))
        .map((one) => ({ topic, partition: one, start: 0, end: 0 }))
    const ends = { readLed: async (asked: number[]) => bounds(asked) } as unknown as LogEnds
    const options = {
      kafka: { admin: () => ({ fetchOffsets: async () => [] }) },
      ...{ topics: [topic], window, log: pino({ level: 'silent' }) },
      count: { refresh: async () => undefined },
      handler: { assigned: (one: number) => void opened.push(one) },
    } as unknown as AssignedPartitionsOptions
    return new AssignedPartitions(options, new PartitionReader(() => consumer), ends)
  }

  beforeEach(() => {
    led = [0]
    opened = []
    paused = new Set()
  })

  it('are read but for that one, which is paused until it has one', async () => {
    const assignments = open()
    const joined = { isContinued: false, mayDrain: false }
    assignments.assign({ [topic]: partitions }, joined, () => {})
    expect(paused).toEqual(new Set(partitions))
    await until(() => opened.length > 0)
    expect(paused).toEqual(new Set([1]))
    expect(await assignments.ready(topic, 0)).toBeDefined()
    expect(await assignments.ready(topic, 1)).toBeUndefined()
    led = partitions
    await until(() => opened.length > 1)
    expect([opened, paused]).toEqual([partitions, new Set()])
  })

  it('are opened once if two logs are found truncated at the same time', async () => {
    led = partitions
    const assignments = open()
    const joined = { isContinued: false, mayDrain: false }
    assignments.assign({ [topic]: partitions }, joined, () => {})
    await until(() => opened.length > 1)
    for (const each of assignments.all()) each.take(9, 1)
    await Promise.all(partitions.map((partition) => assignments.outOfRange({ topic, partition })))
    await until(() => opened.length > 3)
    expect(opened.toSorted()).toEqual([0, 0, 1, 1])
  })
})
