import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { steadyHeartbeats } from './steady-heartbeats.ts'

const interval = 1_000
const hourMs = 3_600_000

type Group = {
  memberId: string
  coordinator: { heartbeat: () => Promise<void> }
  heartbeat(options: { interval: number }): Promise<void>
}
const ConsumerGroup = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  new (options: object): Group
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

it('sends heartbeats in time after the clock was set back', async () => {
  restoreMethods()
  steadyHeartbeats()
  let heartbeats = 0
  const instrumentationEmitter = { emit: () => undefined }
  const logger = { namespace: () => null }
  const group = new ConsumerGroup({ topics: [], logger, instrumentationEmitter })
  group.memberId = 'one'
  group.coordinator = { heartbeat: async () => void heartbeats++ }
  jest.setSystemTime(Date.now() - hourMs)
  await group.heartbeat({ interval })
  expect(heartbeats).toBe(1)
  await group.heartbeat({ interval })
  expect(heartbeats).toBe(1)
  jest.advanceTimersByTime(interval)
  await group.heartbeat({ interval })
  expect(heartbeats).toBe(2)
})
