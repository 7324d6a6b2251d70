import { describe, expect, it } from '@jest/globals'
import { AuthSettings, defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { changeOverrides, fullSettings } from './auth-settings.ts'

describe('changeOverrides', () => {
  it('leaves what is absent and replaces what is given', () => {
    const first = changeOverrides({}, { accessTokenTtl: 1, lockout: { threshold: 3 } })
    const second = changeOverrides(first, { lockout: { duration: 60 }, encryptTokens: true })
    expect(fullSettings(second)).toEqual({
      ...defaultAuthSettings,
      accessTokenTtl: 1,
      encryptTokens: true,
      lockout: { ...defaultAuthSettings.lockout, threshold: 3, duration: 60 },
    })
  })

  it('restores the default with null: a field, a field of a group, a group, everything', () => {
    const set = changeOverrides(
      {},
      { accessTokenTtl: 1, lockout: { threshold: 3, duration: 9 }, password: { minLength: 20 } },
    )
    expect(fullSettings(changeOverrides(set, { accessTokenTtl: null })).accessTokenTtl).toBe(900)
    expect(fullSettings(changeOverrides(set, { lockout: { threshold: null } })).lockout).toEqual({
      ...defaultAuthSettings.lockout,
      duration: 9,
    })
    expect(fullSettings(changeOverrides(set, { lockout: null })).lockout).toEqual(
      defaultAuthSettings.lockout,
    )
    expect(fullSettings(changeOverrides(set, null))).toEqual(defaultAuthSettings)
    expect(changeOverrides(set, undefined)).toBe(set)
  })

  it('changes nothing in place', () => {
    const set = Object.freeze({ lockout: Object.freeze({ threshold: 3 }) })
    changeOverrides(set, { lockout: { threshold: null, duration: 5 } })
    expect(set).toEqual({ lockout: { threshold: 3 } })
  })
})

describe('fullSettings', () => {
  it('answers defaults that the contract accepts', () => {
    expect(AuthSettings.parse(fullSettings({}))).toEqual(defaultAuthSettings)
  })
})
