import { expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { answeredRequestsOf, requestEvents } from './answered-requests.ts'
import { createKafka, kafkaUntil } from './client.ts'

const longMs = 3_600_000

it('knows the last answer to any client of a service, and counts all answers', async () => {
  const metrics = createMetrics('test')
  const log = createLogger('test', 'silent')
  const kafka = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', log, metrics })
  const requests = answeredRequestsOf(kafka)
  expect(requests.hasWithin(longMs)).toBe(false)

  const patient = kafkaUntil(new AbortController().signal, kafka)
  requestEvents(patient).emit('network.request_timeout', answerTo('Fetch'))
  expect(requests.hasWithin(longMs)).toBe(false)
  requestEvents(patient).emit('network.request', answerTo('Fetch'))
  expect(requests.hasWithin(longMs)).toBe(true)
  expect(requests.hasWithin(0)).toBe(false)

  requestEvents(kafka).emit('network.request', answerTo('Produce'))
  const text = await metrics.registry.metrics()
  expect(text).toMatch(/surehook_kafka_requests_total\{.*api="Fetch".*\} 1/)
  expect(text).toMatch(/surehook_kafka_requests_total\{.*api="Produce".*\} 1/)
})

const answerTo = (apiName: string) => ({ apiName }) as Parameters<Emit>[1]
type Emit = ReturnType<typeof requestEvents>['emit']
