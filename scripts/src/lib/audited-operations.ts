import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export type AuditedOperation = { id: string; method: string; path: string }

type DescribedOperation = { operationId: string; security: Record<string, unknown>[] }
type Document = { paths: Record<string, Record<string, DescribedOperation>> }

/**
 * Returns the audited operations of an OpenAPI document: all that the administrator may call,
 * and those that change something with a management token. Tests call each of them.
 */
export function auditedOperations(document: 'admin' | 'data' | 'webhooks'): AuditedOperation[] {
  const file = createRequire(import.meta.url).resolve(
    `@surehook/contracts/openapi/${document}.json`,
  )
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { security }]) => isAudited(method, security.flatMap(Object.keys)))
      .map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase(), path })),
  )
}

const isAudited = (method: string, credentials: readonly string[]) =>
  credentials.includes('admin') || (credentials.join() === 'management' && method !== 'get')

export type AuditedService = {
  /** The base URL of the service. */
  api: string
  tenant: { projectId: string; environment: string }
  /** The service's log so far. */
  lines: readonly string[]
}

/** Calls an operation from 203.0.113.7. Returns the answer and the audit lines of the call. */
export async function callAudited(
  { api, tenant, lines }: AuditedService,
  { method, path }: Pick<AuditedOperation, 'method' | 'path'>,
  { token, body = {} }: { token: string; body?: unknown },
) {
  const requestId = randomUUID()
  const url = path.replace(/\{(\w+)\}/g, () => 'audited')
  const response = await fetch(`${api}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-project-id': tenant.projectId,
      environment: tenant.environment,
      'x-request-id': requestId,
      'x-forwarded-for': '203.0.113.7',
      'content-type': 'application/json',
    },
    body: method === 'GET' || method === 'DELETE' ? null : JSON.stringify(body),
  })
  const text = await response.text()
  const trail = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const own = trail.filter((line) => line['msg'] === 'audit' && line['requestId'] === requestId)
  return { text, own }
}
