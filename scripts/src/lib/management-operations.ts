import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type ManagementRight, managementRights } from '@surehook/contracts/rights'

export type ManagementOperation = {
  id: string
  method: string
  path: string
  /** `undefined`: the operation takes no management token. */
  right: ManagementRight | undefined
}

type DescribedOperation = { operationId: string; 'x-management-right'?: ManagementRight }
type Document = { paths: Record<string, Record<string, DescribedOperation>> }

/** Returns the operations of an OpenAPI document with the right that a management token needs. */
export function managementOperations(
  document: 'admin' | 'data' | 'webhooks',
): ManagementOperation[] {
  const file = createRequire(import.meta.url).resolve(
    `@surehook/contracts/openapi/${document}.json`,
  )
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, 'x-management-right': right }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      right,
    })),
  )
}

export const otherRights = (right: ManagementRight): ManagementRight[] =>
  managementRights.filter((one) => one !== right)

export type ManagementCall = {
  api: string
  token: string
  tenant: { projectId: string; environment: string }
}

/** Calls the operation with unknown ids. Does not wait for the end of an answer that streams. */
export async function callWithToken(
  { method, path }: Pick<ManagementOperation, 'method' | 'path'>,
  { api, token, tenant: { projectId, environment } }: ManagementCall,
): Promise<{ status: number; text: string }> {
  const names: Record<string, string> = { project: projectId, environment }
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown')
  const response = await fetch(`${api}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-project-id': projectId,
      environment,
      'content-type': 'application/json',
    },
    body: method === 'GET' || method === 'DELETE' ? null : '{}',
  })
  const { status } = response
  if (status >= 400) return { status, text: await response.text() }
  await response.body?.cancel()
  return { status, text: '' }
}
