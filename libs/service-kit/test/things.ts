import { defineOperation } from '@surehook/contracts/operation'
import {
  type ApiServer,
  type ApiServerOptions,
  openApiServer,
} from '@surehook/service-kit/http/api-server'
import { mount } from '@surehook/service-kit/http/mount'
import { silent } from '@surehook/testing/database'
import type { Router } from 'express'
import * as z from 'zod'
import { createMetrics } from '../src/telemetry/metrics.ts'

const common = { tag: 't', security: 'none', summary: 's', description: 'd', errors: [] } as const

export const putThing = defineOperation({
  ...common,
  id: 'putThing',
  method: 'put',
  path: '/things/{id}',
  params: z.object({ id: z.uuid() }),
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(10).default(5) }),
  headers: z.object({ 'x-project-id': z.string().min(1), environment: z.string().optional() }),
  body: z.strictObject({
    events: z.array(z.enum(['INSERT', 'UPDATE', 'DELETE'])).min(1),
    url: z.url().optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  reply: { status: 201, schema: z.object({ id: z.string(), limit: z.number() }) },
})
export const getThing = defineOperation({
  ...common,
  id: 'getThing',
  method: 'get',
  path: '/things/{id}',
  params: z.object({ id: z.string() }),
  reply: { status: 200, schema: z.object({ id: z.string() }) },
})
const deleteThing = defineOperation({
  ...common,
  id: 'deleteThing',
  method: 'delete',
  path: '/things/{id}',
  params: z.object({ id: z.string() }),
  reply: { status: 204, schema: z.void() },
})

export const open: ApiServer[] = []
/** Closes every server that a test opened and did not close. */
export async function closeServers(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server[Symbol.asyncDispose]()))
}

export async function serve(
  routes: (router: Router) => void,
  {
    log = silent,
    lingerMs = 0,
    patience,
    bodyLimitBytes = 1_000,
  }: Partial<Pick<ApiServerOptions, 'log' | 'lingerMs' | 'patience' | 'bodyLimitBytes'>> = {},
): Promise<string> {
  const metrics = createMetrics('test')
  const server = await openApiServer({
    port: 0,
    host: '127.0.0.1',
    log,
    metrics,
    routes,
    bodyLimitBytes,
    // Longer than a test may take: a close that needs the grace would fail the test.
    closeGraceMs: 60_000,
    lingerMs,
    patience,
  })
  open.push(server)
  return `http://127.0.0.1:${server.port}`
}

export const id = '0198c7a2-1111-7111-8111-111111111111'
export const valid = { events: ['INSERT'] }

export function serveThings(log = silent, lingerMs = 0): Promise<string> {
  const routes = (router: Router) => {
    mount(router, putThing, ({ params, query }) => {
      const kept = { id: params.id, limit: query.limit }
      return { ...kept, secret: 'never' }
    })
    mount(router, getThing, ({ params }) => ({ id: params.id }))
    mount(router, deleteThing, () => undefined)
  }
  return serve(routes, { log, lingerMs })
}

type PutOptions = {
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer<ArrayBuffer>
}

export function put(
  url: string,
  { path = id, headers = {}, body = JSON.stringify(valid) }: PutOptions,
) {
  return fetch(`${url}/things/${path}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Project-Id': 'p', ...headers },
    body,
  })
}
