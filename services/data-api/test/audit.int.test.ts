import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
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
  service = await world.startService({}, log)
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

describe('every administration call leaves one line', () => {
  it.each(auditedOperations('data'))('$id', async ({ id, method, path }) => {
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

  it('with the token and the table, also of a change that is refused', async () => {
    const put = { method: 'PUT', path: '/api/rest/_tables/{table}' }
    const columns = [{ name: 'total', type: 'integer' }]
    const admitted = {
      event: 'authz_admin',
      actor: 'management_token',
      actorId: expect.any(String),
      operation: 'putTable',
      projectId: tenant.projectId,
      environment: tenant.environment,
    }
    const made = await send(put, { token: tenant.token, body: { columns } })
    expect(made.own).toEqual([
      expect.objectContaining({ ...admitted, outcome: 'success', target: 'audited' }),
    ])
    const refused = await send(put, { token: tenant.token, body: { columns: 7 } })
    expect(refused.own).toEqual([
      expect.objectContaining({ ...admitted, outcome: 'failure', reason: 'VALIDATION_ERROR' }),
    ])
    expect(lines.join('')).not.toContain(tenant.token)
  })
})
