import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { readEnv } from '../../config/config.ts'
import { createLogger } from '../log.ts'
import { openTracing, tracingConfig, tracingEnv } from './open-tracing.ts'

const read = (env: NodeJS.ProcessEnv) =>
  tracingConfig(readEnv(z.object(tracingEnv), env), 'data-api')

describe('tracing', () => {
  it('is off without a collector, and creates no tracer', async () => {
    expect(read({})).toBeNull()
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'mine' })).toBeNull()
    expect(await openTracing(null, createLogger('test', 'silent'))).toBeUndefined()
  })

  it("exports all traces under the service's name by default", () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/'
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
      endpoint: 'http://collector:4318',
      serviceName: 'data-api',
      sampledRatio: 1,
    })
    expect(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT,
        OTEL_SERVICE_NAME: 'mine',
        OTEL_TRACES_SAMPLER_ARG: '0.05',
      }),
    ).toMatchObject({ serviceName: 'mine', sampledRatio: 0.05 })
  })

  it.each([{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, { OTEL_TRACES_SAMPLER_ARG: '5' }])(
    'refuses %j',
    (env) => {
      expect(() => read(env)).toThrow(Object.keys(env)[0])
    },
  )
})

describe('the tracer', () => {
  const config = { endpoint: 'http://127.0.0.1:1', serviceName: 'test', sampledRatio: 0 }
  const lines: string[] = []
  const log = createLogger('test', 'warn', { write: (line) => void lines.push(line) })

  it("follows the caller's decision, and samples new traces by the ratio", async () => {
    await using tracing = await openTracing(config, log)
    const sampled = (parent: string | null) => {
      const span = tracing?.start('work', { kind: 'server', parent, attributes: {} })
      return [span?.sampled, span?.traceparent.slice(0, 36), span?.traceparent.slice(-3)]
    }
    const of = '00-4bf92f3577b34da6a3ce929d0e0e4736-'
    expect(sampled(`${of}00f067aa0ba902b7-01`)).toEqual([true, of, '-01'])
    expect(sampled(`${of}00f067aa0ba902b7-00`)).toEqual([false, of, '-00'])
    expect(sampled(null)).toEqual([false, expect.not.stringContaining(of), '-00'])
  })

  it('logs an unreachable collector, and still closes', async () => {
    const tracing = await openTracing({ ...config, sampledRatio: 1 }, log)
    tracing?.start('work', { kind: 'server', parent: null, attributes: {} }).end()
    await tracing?.[Symbol.asyncDispose]()
    expect(lines.join('')).toMatch(/"tracing\.(failed|unflushed)"/)
  })
})
