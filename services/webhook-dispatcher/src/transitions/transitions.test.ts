import { expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { aJob } from '@surehook/contracts/testing/samples'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import type { AttemptResult } from './decide-next-attempt.ts'
import { type Transition, Transitions } from './transitions.ts'

const none = Buffer.alloc(0)
const places = { partition: 7, partitionFor: () => 3 }
const job = aJob({ url: 'https://a.example/' })
const result = { kind: 'unreachable', errorClass: 'timeout', message: '', latencyMs: 1 } as const

async function recordsOf(transition: Transition): Promise<OutgoingRecord[]> {
  const sent: OutgoingRecord[] = []
  const codec = { encode: () => none, decode: () => Promise.reject(new Error('not decoded here')) }
  const transitions = new Transitions({
    producer: { send: async (records) => void sent.push(...records) },
    codec: { job: codec, attempt: codec },
    log: createLogger('test', 'silent'),
  })
  expect(await transitions.make(job, transition, places)).toBe('made')
  return sent
}

const attempted = (next: Extract<Transition, { kind: 'attempted' }>['next']): Transition => ({
  ...{ kind: 'attempted', group: null, next },
  result: result as AttemptResult,
})

it.each<[string, Transition]>([
  ['a retry', attempted({ kind: 'retry', delay: { name: '1s', ms: 1_000 }, dueAt: 1 })],
  ['a dead letter', attempted({ kind: 'dead-letter' })],
  ['a pause', { kind: 'pause', published: true, group: null }],
  ['a cancellation', { kind: 'cancel' }],
])('%s has the key of its endpoint on every topic', async (_, transition) => {
  const keys = new Set((await recordsOf(transition)).map(({ key }) => key))
  expect([...keys]).toEqual([endpointId(job)])
})

it('a delivery whose URL changed has the key of the new endpoint', async () => {
  const [record] = await recordsOf({ kind: 'reroute', url: 'https://b.example/' })
  expect(record?.key).toBe(endpointId({ ...job, url: 'https://b.example/' }))
})
