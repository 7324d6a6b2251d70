import { describe, expect, it } from '@jest/globals'
import { type Environment } from '@surehook/contracts/http/admin/admin'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { noLimitSettings } from '@surehook/contracts/http/admin/limit-settings'
import { defaultNotifySettings } from '@surehook/contracts/http/admin/notify-settings'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createPrepareKeys } from './prepare-keys.ts'

const log = createLogger('test', 'silent')
const environment = (enabled: boolean): Environment => ({
  projectId: 'p',
  environment: 'master',
  auth: { ...defaultAuthSettings, enabled },
  limits: noLimitSettings,
  notify: defaultNotifySettings,
  trustedIssuers: [],
  createdAt: '',
  updatedAt: '',
  deletedAt: null,
})

describe('the keys of an environment', () => {
  it('are made where authentication is enabled', async () => {
    const made: string[] = []
    const prepare = async ({ environment: name }: { environment: string }) => void made.push(name)
    const prepareKeys = createPrepareKeys({ keys: { prepare }, log })
    await prepareKeys(environment(false))
    expect(made).toEqual([])
    await prepareKeys(environment(true))
    expect(made).toEqual(['master'])
  })

  it.each([
    ['fails', () => Promise.reject(new Error('no'))],
    ['takes too long', () => new Promise<never>(() => {})],
  ])('are not waited for when making them %s', async (_what, prepare) => {
    const prepareKeys = createPrepareKeys({ keys: { prepare }, log, maxWaitMs: 5 })
    await expect(prepareKeys(environment(true))).resolves.toBeUndefined()
  })
})
