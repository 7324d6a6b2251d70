import { describe, expect, it } from '@jest/globals'
import type { Pool } from 'pg'
import type { SettingsOverrides } from './auth-settings.ts'
import { createResolveTenant } from './tenant.ts'

const stored: Readonly<Record<string, SettingsOverrides>> = {
  'shop/master': { accessTokenTtl: 60 },
  'shop/dev': { enabled: false },
}

function resolve(headers: Record<string, string[]>) {
  const asked: string[] = []
  const query = async ({ values }: { values: string[] }) => {
    asked.push(values.join('/'))
    const found = stored[values.join('/')]
    const createdAt = new Date(0)
    return { rows: found === undefined ? [] : [{ overrides: found, keyEpoch: 7, createdAt }] }
  }
  const tenant = createResolveTenant({ query } as unknown as Pool)({ headersDistinct: headers })
  return { tenant, asked }
}

describe('the tenant of a request', () => {
  it('is the named environment, master by default, with the settings in force', async () => {
    const { tenant } = resolve({ 'x-project-id': ['shop'] })
    expect(await tenant).toMatchObject({
      projectId: 'shop',
      environment: 'master',
      keyEpoch: 7,
      createdAt: '1970-01-01T00:00:00.000Z',
      settings: { enabled: true, accessTokenTtl: 60, refreshTokenTtl: 30 * 86_400 },
    })
  })

  it.each([
    ['no project', {}, 'X-Project-Id'],
    ['an empty one', { 'x-project-id': [''] }, 'X-Project-Id'],
    ['two', { 'x-project-id': ['shop', 'shop'] }, 'X-Project-Id'],
    ['two that a proxy joined', { 'x-project-id': ['shop, shop'] }, 'X-Project-Id'],
    [
      'two environments that a proxy joined',
      { 'x-project-id': ['shop'], environment: ['dev, master'] },
      'environment',
    ],
    [
      'two environments',
      { 'x-project-id': ['shop'], environment: ['dev', 'master'] },
      'environment',
    ],
  ])('has to be named: %s', async (_what, headers: Record<string, string[]>, field) => {
    const { tenant, asked } = resolve(headers)
    await expect(tenant).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      violations: [{ field }],
    })
    expect(asked).toEqual([])
  })

  it.each([
    ['where there is none', 'shop', 'test'],
    ['where it is off', 'shop', 'dev'],
    ['of nobody', 'nobody', 'master'],
    ['whose name none can have', '../shop', 'master'],
    ['whose environment none can have', 'shop', ''],
  ])('%s has no authentication', async (_what, projectId, environment) => {
    const headers = { 'x-project-id': [projectId], environment: [environment] }
    await expect(resolve(headers).tenant).rejects.toMatchObject({ code: 'AUTH_NOT_CONFIGURED' })
  })
})
