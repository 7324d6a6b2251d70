import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export type AuditedOperation = { id: string; method: string; path: string }

type Described = { operationId: string; security: Record<string, unknown>[] }
type Document = { paths: Record<string, Record<string, Described>> }

/**
 * The operations of an OpenAPI document whose calls leave a line in the audit trail, for tests that make the calls: all of
 * the administrator, and what a management token alone may change.
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
  credentials.join() === 'admin' || (credentials.join() === 'management' && method !== 'get')
