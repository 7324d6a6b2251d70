import { expect, it, jest } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { SharedTail } from './log/shared-tail.ts'
import { openStreams, type StreamAsked, type StreamsOptions } from './open-streams.ts'

it('refuses a filter that does not fit before it opens the tail', async () => {
  const use = jest.spyOn(SharedTail.prototype, 'use').mockRejectedValue(new Error('Kafka is away'))
  await using streams = openStreams({
    tables: { current: async () => undefined, fieldsOf: () => new Map([['total', 'decimal']]) },
    access: {
      originOf: async () => ({ createdAt: null, changesFrom: null }),
      standingOf: () => () => true,
    },
    config: { streams: { perTenant: 1, perReplica: 1, heartbeatMs: 1_000 } },
    redis: () => null,
    metrics: createMetrics('test'),
    log: createLogger('test', 'silent'),
  } as unknown as StreamsOptions)
  const open = (filter: Record<string, unknown>) =>
    streams.open({
      tenant: { projectId: 'shop', environment: 'master' },
      query: { table: ['orders', 'refunds'], filter, format: 'sse' },
      user: null,
      context: { req: { headers: {} }, right: 'webhooks' },
    } as unknown as StreamAsked)
  await expect(open({ price: 1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(use).not.toHaveBeenCalled()
  await expect(open({ total: 1 })).rejects.toThrow('Kafka is away')
})
