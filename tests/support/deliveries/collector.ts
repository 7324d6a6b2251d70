import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

import { eventually } from '../world.ts'

export type Span = {
  service: string
  name: string
  kind: string
  traceId: string
  spanId: string
  /** `null` for the root span of a trace. */
  parent: string | null
  links: string[]
  attributes: Record<string, unknown>
  failed: boolean
}

/** Receives spans like an OpenTelemetry collector, over HTTP as JSON. */
export type Collector = AsyncDisposable & {
  readonly endpoint: string
  readonly spans: readonly Span[]
  /**
   * Resolves with all spans of a trace, by start time, once it has `count` spans of this name and
   * all their parents. Each process exports its spans at its own pace.
   */
  trace(traceId: string, wanted: { name: string; count: number }): Promise<Span[]>
}

export async function openCollector(): Promise<Collector> {
  const spans: (Span & { startedAt: string })[] = []
  const server = createServer((req, res) => {
    const take = async () => {
      if (req.url !== '/v1/traces') return res.writeHead(404).end()
      spans.push(...spansOf((await json(req)) as SpanExport))
      return res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }
    take().catch(() => res.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ofTrace = (traceId: string) =>
    spans
      .filter((span) => span.traceId === traceId)
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    trace: (traceId, { name, count }) =>
      eventually(
        async () => ofTrace(traceId),
        (found) => found.filter((span) => span.name === name).length >= count && isWhole(found),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The gateway's caller exports no span here. */
function isWhole(spans: readonly Span[]): boolean {
  const known = new Set(spans.map(({ spanId }) => spanId))
  return spans.every(
    ({ parent, service }) => parent === null || known.has(parent) || service === 'gateway',
  )
}

type Attribute = { key: string; value: Record<string, unknown> }
type ExportedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  attributes: Attribute[]
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
}
type SpanExport = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: ExportedSpan[] }[]
  }[]
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

function spansOf({ resourceSpans }: SpanExport) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        kind: kinds[span.kind] ?? '',
        traceId: span.traceId,
        spanId: span.spanId,
        parent: span.parentSpanId ?? null,
        links: (span.links ?? []).map(({ spanId }) => spanId),
        attributes: valuesOf(span.attributes),
        failed: span.status.code === 2,
        startedAt: span.startTimeUnixNano,
      })),
  )
}

const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
