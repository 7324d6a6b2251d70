import { describe, expect, it } from '@jest/globals'
import {
  AuthSettingsChange,
  defaultAuthSettings,
} from '@surehook/contracts/http/admin/auth-settings'
import { leavesOf } from '../output/text-table.ts'
import { settingsFrom, settingsOptions } from './settings-options.ts'

describe('settingsOptions', () => {
  it('has an option for every setting of the contract', () => {
    expect(Object.keys(settingsOptions)).toHaveLength(leavesOf(defaultAuthSettings).length)
    expect(Object.keys(settingsOptions)).toContain('lockout-threshold')
    expect(Object.keys(settingsOptions)).toContain('password-breach-check')
  })
})

describe('settingsFrom', () => {
  it('reads values by their type, and null as a reset to the default', () => {
    const settings = settingsFrom({
      enabled: 'false',
      'access-token-ttl': '60',
      'lockout-scope': 'account',
      'lockout-threshold': 'null',
      'mail-sender-name': '7',
    })
    expect(settings).toEqual({
      enabled: false,
      accessTokenTtl: 60,
      lockout: { scope: 'account', threshold: null },
      mail: { senderName: '7' },
    })
    expect(AuthSettingsChange.safeParse(settings).success).toBe(true)
  })

  it('overrides single settings of a file and keeps the others', () => {
    const file = { enabled: true, lockout: { threshold: 3, duration: 60 }, password: null }
    expect(settingsFrom({ 'lockout-threshold': '9', 'password-min-length': '12' }, file)).toEqual({
      enabled: true,
      lockout: { threshold: 9, duration: 60 },
      password: { minLength: 12 },
    })
    expect(file.lockout.threshold).toBe(3)
  })

  it.each([
    ['enabled', 'yes'],
    ['access-token-ttl', '1h'],
  ])('refuses --%s %s', (option, text) => {
    expect(() => settingsFrom({ [option]: text })).toThrow(`--${option}`)
  })
})
