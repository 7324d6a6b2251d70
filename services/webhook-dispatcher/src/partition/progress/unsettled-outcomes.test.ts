import { beforeEach, describe, expect, it } from '@jest/globals'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { UnsettledOutcomes } from './unsettled-outcomes.ts'

const assignmentOf = (topic: string) =>
  new AssignedPartition({ topic, partition: 0, committed: 0, metadata: null, end: 0 })

let assignment: AssignedPartition
let unsettled: UnsettledOutcomes

beforeEach(() => {
  assignment = assignmentOf(deliveriesTopic)
  unsettled = new UnsettledOutcomes(
    new Map([assignment, assignmentOf(pausedTopic)].map((one) => [one.topic, one])),
  )
})

function finish(count: number): void {
  const from = assignment.next
  for (let offset = from; offset < from + count; offset++) {
    assignment.take(offset, 10)
    assignment.finish(offset)
  }
}

describe('UnsettledOutcomes', () => {
  it('has room until 128 offsets are finished and not committed', () => {
    finish(127)
    expect(unsettled.hasRoom).toBe(true)
    finish(1)
    expect(unsettled.hasRoom).toBe(false)
    assignment.uncommitted -= 128
    expect(unsettled.hasRoom).toBe(true)
  })

  it('counts outcomes until Kafka has them, also when that fails', async () => {
    const outcomes = Array.from({ length: 128 }, () => Promise.withResolvers<void>())
    const recorded = outcomes.map(({ promise }) => unsettled.recorded(promise))
    expect(unsettled.hasRoom).toBe(false)
    outcomes[0]?.resolve()
    await recorded[0]
    expect(unsettled.hasRoom).toBe(true)
    outcomes[1]?.reject(new Error('away'))
    await expect(recorded[1]).rejects.toThrow('away')
    finish(1)
    expect(unsettled.hasRoom).toBe(true)
    finish(1)
    expect(unsettled.hasRoom).toBe(false)
  })

  it('reports room again once, and only after a refusal', () => {
    expect(unsettled.hasRoomAgain()).toBe(false)
    finish(128)
    expect(unsettled.hasRoom).toBe(false)
    expect(unsettled.hasRoomAgain()).toBe(false)
    assignment.uncommitted = 0
    expect(unsettled.hasRoomAgain()).toBe(true)
    expect(unsettled.hasRoomAgain()).toBe(false)
  })
})
