import { describe, expect, it, jest } from '@jest/globals'
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

describe('a user of a trusted issuer, who may have the id of another', () => {
  const of = jest.fn(async () => ({ email: 'ann@shop.example', attributes: { team: 'north' } }))
  const issued = { issuer: 'https://login.example', email: null }
  const teams = {
    fields: new Map([['team', 'text' as const]]),
    entries: [{ role: '*', where: { team: '$user.team' } }],
    createdAt: 0,
  }
  const openedStreams = () =>
    openStreams({
      tables: { current: async () => undefined, readableOf: () => teams },
      access: { originOf: async () => ({ createdAt: null, changesFrom: null }) },
      config: { streams: { perTenant: 9, perUser: 1, perReplica: 9, heartbeatMs: 1_000 } },
      redis: () => null,
      metrics: createMetrics('test'),
      log: createLogger('test', 'silent'),
    } as unknown as StreamsOptions)
  const asked = (user: object): StreamAsked =>
    ({
      tenant: { projectId: 'shop', environment: 'master' },
      query: { table: ['teams'], format: 'sse' },
      user: { claims: { sub: 'ann', roles: [] }, isStanding: () => true, values: { of }, ...user },
      context: { req: { headers: {} }, right: 'webhooks' },
    }) as unknown as StreamAsked

  it('has no values of auth-service', async () => {
    jest.spyOn(SharedTail.prototype, 'use').mockRejectedValue(new Error('Kafka is away'))
    await using streams = openedStreams()
    await expect(streams.open(asked({ issued }))).rejects.toThrow('Kafka is away')
    expect(of).not.toHaveBeenCalled()
    await expect(streams.open(asked({}))).rejects.toThrow('Kafka is away')
    expect(of).toHaveBeenCalled()
  })

  it('takes no stream of the other', async () => {
    const opening = Promise.withResolvers<never>()
    jest.spyOn(SharedTail.prototype, 'use').mockReturnValue(opening.promise)
    await using streams = openedStreams()
    const all = [{ issued }, {}, {}].map((user) => streams.open(asked(user)))
    await expect(all[2]).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
    opening.reject(new Error('Kafka is away'))
    await expect(all[0]).rejects.toThrow('Kafka is away')
    await expect(all[1]).rejects.toThrow('Kafka is away')
  })
})
