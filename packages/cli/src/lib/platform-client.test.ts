import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { findPlatform } from './platform-client.ts'
import type { RunningSystem } from './running-system.ts'

const nothing = { url: undefined, 'token-file': undefined }
const local = { baseUrl: 'http://localhost:8080', adminToken: 'local-token' } as RunningSystem
const running = () => local

describe('findPlatform', () => {
  it('finds the system of this checkout by default', () => {
    expect(findPlatform(nothing, {}, running)).toEqual({
      baseUrl: 'http://localhost:8080',
      adminToken: 'local-token',
    })
  })

  it('knows the token of this checkout also if its URL is given', () => {
    const env = { SUREHOOK_URL: 'http://localhost:8080/' }
    expect(findPlatform(nothing, env, running)).toEqual({
      baseUrl: 'http://localhost:8080',
      adminToken: 'local-token',
    })
  })

  it('never sends the token of this checkout to another system', () => {
    const elsewhere = { ...nothing, url: 'https://elsewhere.example' }
    expect(() => findPlatform(elsewhere, {}, running)).toThrow('token is missing')
    expect(() => findPlatform(nothing, { SUREHOOK_URL: 'https://a.example' }, running)).toThrow(
      'token',
    )
  })

  it('reads the token from the environment (the first of two) or from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'surehook-client-')), 'token')
    writeFileSync(file, 'from-a-file\n')
    const env = { SUREHOOK_URL: 'https://a.example/', PLATFORM_ADMIN_TOKEN: 'new, old' }
    expect(findPlatform(nothing, env, () => null)).toEqual({
      baseUrl: 'https://a.example',
      adminToken: 'new',
    })
    const named = { ...env, SUREHOOK_ADMIN_TOKEN: 'mine' }
    expect(findPlatform(nothing, named, () => null).adminToken).toBe('mine')
    const values = { ...nothing, 'token-file': file }
    expect(findPlatform(values, named, () => null).adminToken).toBe('from-a-file')
  })

  it('names the missing value', () => {
    expect(() => findPlatform(nothing, {}, () => null)).toThrow('--url or SUREHOOK_URL')
    const env = { SUREHOOK_ADMIN_TOKEN: 'mine' }
    expect(() => findPlatform({ ...nothing, url: 'ftp://x' }, env, running)).toThrow('not an http')
  })
})
