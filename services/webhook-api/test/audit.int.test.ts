import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import { auditedOperations, callAudited } from '@surehook/scripts/lib/audited-operations'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
const lines: string[] = []

beforeAll(async () => {
  world = await openWorld()
  // The audit trail is written even at the level `error`.
  const log = createLogger('audited', 'error', { write: (line) => void lines.push(line) })
  service = await world.startService({ adminTokenDigests: [tokenDigest(adminToken)] }, log)
  tenant = await world.tenant()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const send = (
  operation: { method: string; path: string },
  sent: { token: string; body?: unknown },
) => callAudited({ api: service.api, tenant, lines }, operation, sent)

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
