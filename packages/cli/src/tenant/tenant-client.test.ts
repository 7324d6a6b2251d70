import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Failure, UsageError } from '../cli/command.ts'
import { profileFile, readProfiles, writeProfiles } from './profile-file.ts'
import { findTenant, type TenantValues } from './tenant-client.ts'

let dir: string
let env: NodeJS.ProcessEnv
const shop = {
  url: 'https://a.example',
  project: 'shop',
  environment: 'test',
  token: 'mt_shop',
}
const other = { ...shop, project: 'other', token: 'mt_other' }

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'surehook-profiles-'))
  env = { XDG_CONFIG_HOME: dir }
  writeProfiles(env, { current: 'shop', profiles: { shop, other } })
})
afterEach(() => rmSync(dir, { recursive: true }))

const values = (given: Partial<TenantValues> = {}): TenantValues => ({
  profile: undefined,
  url: undefined,
  project: undefined,
  environment: undefined,
  'token-file': undefined,
  ...given,
})
const tenantOf = ({ url: baseUrl, ...names }: typeof shop) => ({ baseUrl, ...names })

describe('findTenant', () => {
  it('takes the current profile, or the one that is named', () => {
    expect(findTenant(values(), env)).toEqual(tenantOf(shop))
    expect(findTenant(values({ profile: 'other' }), env)).toEqual(tenantOf(other))
    const named = { ...env, SUREHOOK_PROFILE: 'other' }
    expect(findTenant(values(), named)).toEqual(tenantOf(other))
  })

  it('prefers variables to the current profile, options to both, and --profile to variables', () => {
    const variables = {
      ...env,
      SUREHOOK_URL: 'https://b.example',
      SUREHOOK_PROJECT: 'mine',
      SUREHOOK_ENVIRONMENT: 'dev',
      SUREHOOK_TOKEN: 'mt_mine',
    }
    const mine = {
      baseUrl: 'https://b.example',
      project: 'mine',
      environment: 'dev',
      token: 'mt_mine',
    }
    expect(findTenant(values(), variables)).toEqual(mine)
    const file = join(dir, 'token')
    writeFileSync(file, 'mt_file\n')
    const given = values({ project: 'yours', environment: 'live', 'token-file': file })
    const yours = { ...mine, project: 'yours', environment: 'live', token: 'mt_file' }
    expect(findTenant(given, variables)).toEqual(yours)
    expect(findTenant(values({ profile: 'other' }), variables)).toEqual(tenantOf(other))
  })

  it('sends the token of a profile to no other system', () => {
    const elsewhere = () => findTenant(values({ url: 'https://b.example' }), env)
    expect(elsewhere).toThrow(/the management token is missing/)
    const variables = { ...env, SUREHOOK_URL: 'https://b.example', SUREHOOK_TOKEN: 'mt_b' }
    expect(findTenant(values(), variables)).toMatchObject({
      baseUrl: 'https://b.example',
      token: 'mt_b',
    })
  })

  it('sends the token of a variable to no URL of a profile', () => {
    const variables = { ...env, SUREHOOK_TOKEN: 'mt_mine' }
    const tenant = (given: Partial<TenantValues>, more: NodeJS.ProcessEnv = {}) =>
      findTenant(values(given), { ...variables, ...more })
    expect(() => tenant({})).toThrow(UsageError)
    expect(() => tenant({})).toThrow(/set SUREHOOK_URL or --url.*unset.*--profile/)
    expect(() => tenant({}, { SUREHOOK_PROFILE: 'other' })).toThrow(UsageError)
    expect(tenant({ profile: 'other' })).toEqual(tenantOf(other))
    expect(tenant({ url: shop.url })).toEqual({ ...tenantOf(shop), token: 'mt_mine' })
    expect(tenant({}, { SUREHOOK_URL: shop.url }).token).toBe('mt_mine')
    const file = join(dir, 'token')
    writeFileSync(file, 'mt_file\n')
    expect(tenant({ 'token-file': file }).token).toBe('mt_file')
  })

  it.each([[values({ profile: 'nobody' })], [values({ profile: '__proto__' })]])(
    'refuses a profile that does not exist',
    (given) => {
      expect(() => findTenant(given, env)).toThrow(UsageError)
    },
  )

  it('says what is missing without a login', () => {
    expect(() => findTenant(values(), {})).toThrow(/project is missing.*surehook login/)
  })
})

describe('the file of profiles', () => {
  it('can be read only by its owner, and leaves no other file', () => {
    const file = profileFile(env) ?? ''
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(file))).toEqual(['profiles.json'])
    expect(readProfiles(env).profiles).toEqual({ shop, other })
  })

  it('is refused if others may read it, or if it holds something else', () => {
    const file = profileFile(env) ?? ''
    chmodSync(file, 0o640)
    expect(() => readProfiles(env)).toThrow(/chmod 600/)
    writeFileSync(file, '{"token":"mt_secret"}')
    chmodSync(file, 0o600)
    const read = () => readProfiles(env)
    expect(read).toThrow(Failure)
    expect(read).not.toThrow(/mt_secret/)
  })

  it('lies below XDG_CONFIG_HOME if that is absolute, else below the home', () => {
    expect(profileFile({ XDG_CONFIG_HOME: '/c', HOME: '/h' })).toBe('/c/surehook/profiles.json')
    const home = '/h/.config/surehook/profiles.json'
    expect(profileFile({ XDG_CONFIG_HOME: 'c', HOME: '/h' })).toBe(home)
    expect(profileFile({})).toBeUndefined()
  })
})
