import { describe, expect, it } from '@jest/globals'
import { capturingServices } from '@surehook/change-capture/slot/capturing-services'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { databaseServices, serviceNames, serviceTraits } from '../lib/service-catalog.ts'
import { passwordVariable, prepareDatabase } from './prepare-database.ts'

const log = createLogger('test', 'silent')

describe('prepareDatabase', () => {
  it('names a missing password before it changes anything', async () => {
    const rolePasswords = { 'auth-service': 'a', 'webhook-api': 'c' }
    const preparing = prepareDatabase({ databaseUrl: 'postgres://nowhere', rolePasswords, log })
    await expect(preparing).rejects.toThrow('DATABASE_PASSWORD_DATA_API is not set')
  })

  it('has a variable for every service with tables', () => {
    expect(databaseServices.map(passwordVariable)).toEqual([
      'DATABASE_PASSWORD_AUTH_SERVICE',
      'DATABASE_PASSWORD_DATA_API',
      'DATABASE_PASSWORD_POSTGRES_SOURCE',
      'DATABASE_PASSWORD_WEBHOOK_API',
    ])
  })

  it('gives a slot to those services whose slots are watched', () => {
    const captures = serviceNames.filter((name) => serviceTraits[name].database?.captures)
    expect(captures).toEqual(capturingServices)
  })
})
