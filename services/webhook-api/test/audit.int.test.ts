import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AuditedOperation, auditedOperations } from '@surehook/scripts/lib/audited-operations'
import { tokenDigest } from '@surehook/service-kit/access/admin-gate'
import { createLogger } from '@surehook/service-kit/log'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
const lines: string[] = []

beforeAll(async () => {
  world = await openWorld()
  // Quieter than the audit trail, which is written all the same.
  const log = createLogger('audited', 'error', { write: (line) => void lines.push(line) })
  service = await world.startService({ adminTokenDigests: [tokenDigest(adminToken)] }, log)
  tenant = await world.tenant()
}, 60_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function send(
  { method, path }: Pick<AuditedOperation, 'method' | 'path'>,
  { token, body = {} }: { token: string; body?: unknown },
) {
  const requestId = randomUUID()
  const url = path.replace(/\{(\w+)\}/g, () => 'audited')
  const response = await fetch(`${service.api}${url}`, {
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

const adminToken = 'admin-token-of-the-tests'

describe('every administration call leaves one line', () => {
  it.each(auditedOperations('webhooks'))('$id', async ({ id, method, path }) => {
    const secret = `mt_${'x'.repeat(43)}`
    const { own } = await send({ method, path }, { token: secret })
    expect(own).toEqual([
      expect.objectContaining({
        event: 'authz_fail',
        outcome: 'failure',
        actor: 'anonymous',
        operation: id,
        client: '203.0.113.7',
        reason: expect.stringMatching(/_TOKEN_INVALID$/),
      }),
    ])
    const [line] = own
    expect(line).not.toHaveProperty('projectId')
    expect(lines.filter((text) => text.includes(secret))).toEqual([])
  })

  it('with the token and the subscription that it made, and no secret of it', async () => {
    const secret = 'a-secret-that-nobody-may-read'
    const body = {
      projectId: tenant.projectId,
      environment: tenant.environment,
      table: 'orders',
      events: ['INSERT'],
      url: 'https://receiver.example/hook?key=also-secret',
      secret,
    }
    const create = { method: 'POST', path: '/api/rest/_webhooks' }
    const { own, text } = await send(create, { token: tenant.token, body })
    expect(own).toEqual([
      expect.objectContaining({
        event: 'authz_admin',
        outcome: 'success',
        actor: 'management_token',
        actorId: expect.any(String),
        operation: 'createWebhook',
        projectId: tenant.projectId,
        environment: tenant.environment,
        target: (JSON.parse(text) as { id: string }).id,
      }),
    ])
    const written = lines.join('')
    const secrets = [secret, 'also-secret', tenant.token, adminToken]
    expect(secrets.filter((one) => written.includes(one))).toEqual([])
  })

  it('with the administrator, reads included', async () => {
    const read = { method: 'GET', path: '/api/rest/_webhooks/_history/rebuild' }
    const { own } = await send(read, { token: adminToken })
    expect(own).toEqual([
      expect.objectContaining({ event: 'authz_admin', actor: 'administrator', outcome: 'success' }),
    ])
  })
})
