import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { UsageError } from '../cli/command.ts'
import { findAdminToken } from './admin-token.ts'
import { writeProfiles } from './profile-file.ts'
import { findGateway, type TenantValues } from './tenant-client.ts'

const profile = { url: 'https://a.example', project: 'shop', environment: 'test', token: 'mt_shop' }
const none: TenantValues = {
  profile: undefined,
  url: undefined,
  project: undefined,
  environment: undefined,
  'token-file': undefined,
}

let dir: string
let env: NodeJS.ProcessEnv
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'surehook-admin-'))
  env = { XDG_CONFIG_HOME: dir, SUREHOOK_ADMIN_TOKEN: 'new, old' }
  writeProfiles(env, { current: 'shop', profiles: { shop: profile } })
})
afterEach(() => rmSync(dir, { recursive: true }))

type TokenOptions = Partial<TenantValues> & { 'admin-token-file'?: string }
function tokenOf(
  { 'admin-token-file': file, ...given }: TokenOptions,
  more: NodeJS.ProcessEnv = {},
) {
  const variables = { ...env, ...more }
  const gateway = findGateway({ ...none, ...given }, variables)
  return findAdminToken({ 'admin-token-file': file }, variables, gateway)
}

it('sends the token of the variable to a URL that the call names', () => {
  expect(tokenOf({ url: 'https://b.example' })).toBe('new')
  expect(tokenOf({}, { SUREHOOK_URL: 'https://b.example' })).toBe('new')
})

it('never sends the token of the variable to the URL of a profile', () => {
  expect(() => tokenOf({})).toThrow(UsageError)
  expect(() => tokenOf({})).toThrow(/--url or SUREHOOK_URL.*--admin-token-file/)
  expect(() => tokenOf({}, { SUREHOOK_PROFILE: 'shop' })).toThrow(UsageError)
  // A named profile stands for another system than the variables.
  expect(tokenOf({ profile: 'shop' }, { SUREHOOK_URL: 'https://b.example' })).toBeUndefined()
})

it('sends the token of a file to any URL', () => {
  const file = join(dir, 'token')
  writeFileSync(file, 'of-the-file\n')
  expect(tokenOf({ 'admin-token-file': file })).toBe('of-the-file')
})

it('never takes the setting of the services', () => {
  const setting = { SUREHOOK_ADMIN_TOKEN: '', PLATFORM_ADMIN_TOKEN: 'of-a-service' }
  expect(tokenOf({ url: 'https://b.example' }, setting)).toBeUndefined()
  expect(tokenOf({}, setting)).toBeUndefined()
})
