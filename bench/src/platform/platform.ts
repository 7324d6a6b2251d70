import { randomUUID } from 'node:crypto'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'

/** A separate project on the running system. */
export type BenchProject = {
  system: RunningSystem
  projectId: string
  headers: Record<string, string>
  /** Calls a path below the environment as the platform's administrator. */
  administer(method: string, path: string, body: unknown): Promise<Record<string, unknown>>
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
}

export async function createProject(
  system: RunningSystem,
  auth: object = {},
): Promise<BenchProject> {
  const projectId = `bench-${randomUUID().slice(0, 8)}`
  const admin = { authorization: `Bearer ${system.adminToken}`, 'content-type': 'application/json' }
  const at = `${system.baseUrl}/auth/admin/projects/${projectId}`
  const administer = (method: string, path: string, body: unknown) =>
    send(`${at}/environments/master${path}`, {
      method,
      headers: admin,
      body: JSON.stringify(body),
    })
  await administer('PUT', '', { auth })
  const { token } = await send(`${at}/management-tokens`, {
    method: 'POST',
    headers: admin,
    body: JSON.stringify({ name: 'bench' }),
  })
  const headers = {
    authorization: `Bearer ${String(token)}`,
    'x-project-id': projectId,
    environment: 'master',
    'content-type': 'application/json',
  }
  return {
    system,
    projectId,
    headers,
    administer,
    call: (method, path, body) =>
      send(`${system.baseUrl}/gw/api/rest${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

export async function createTable({ call }: BenchProject, table: string): Promise<void> {
  await call('PUT', `/_tables/${table}`, {
    columns: [
      { name: 'sent_at', type: 'double' },
      { name: 'status', type: 'text' },
      { name: 'note', type: 'text' },
    ],
  })
}

export async function subscribe(
  { call, projectId }: BenchProject,
  table: string,
  url: string,
): Promise<string> {
  const { id } = await call('POST', '/_webhooks', {
    projectId,
    environment: 'master',
    table,
    events: ['INSERT'],
    url,
    secret: 'bench-secret',
  })
  return String(id)
}

/** A record of about 500 bytes with its columns. */
export function newRecord(): { sent_at: number; status: string; note: string } {
  return { sent_at: performance.timeOrigin + performance.now(), status: 'paid', note }
}

const note = 'n'.repeat(330)

async function send(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}
