import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { createRefreshTokens, refreshHash } from './refresh-token.ts'

const tokens = createRefreshTokens([Buffer.alloc(32, 'test')])
const tenant = { projectId: 'shop', environment: 'master' }
const sid = randomUUID()

describe('refresh tokens', () => {
  it('are base64, never the same, and know their session', () => {
    const made = Array.from({ length: 100 }, () => tokens.create(tenant, sid))
    expect(new Set(made).size).toBe(100)
    for (const token of made) {
      expect(Buffer.from(token, 'base64').toString('base64')).toBe(token)
      expect(tokens.sessionOf(tenant, token)).toBe(sid)
    }
  })

  it('have one successor each, which is a token like others', () => {
    const [one, two] = [tokens.create(tenant, sid), tokens.create(tenant, sid)]
    const next = tokens.successors(tenant, one, sid)[0]
    expect(tokens.successors(tenant, one, sid)).toEqual([next])
    expect(tokens.successors(tenant, two, sid)).not.toContain(next)
    expect(tokens.sessionOf(tenant, next)).toBe(sid)
    expect(createRefreshTokens([randomBytes(32)]).successors(tenant, one, sid)).not.toContain(next)
  })

  it('are valid on two replicas with different keys, and have the same successors', () => {
    const [old, current] = [randomBytes(32), randomBytes(32)]
    const before = createRefreshTokens([old, current])
    const after = createRefreshTokens([current, old])
    for (const token of [before.create(tenant, sid), after.create(tenant, sid)]) {
      expect([before.sessionOf(tenant, token), after.sessionOf(tenant, token)]).toEqual([sid, sid])
      const successors = before.successors(tenant, token, sid)
      expect(successors).toHaveLength(2)
      expect(after.successors(tenant, token, sid)).toEqual(successors.toReversed())
    }
    const ended = createRefreshTokens([current])
    expect(ended.sessionOf(tenant, after.create(tenant, sid))).toBe(sid)
    expect(ended.sessionOf(tenant, before.create(tenant, sid))).toBeNull()
  })

  it('are invalid for another tenant, under another key, or with any byte changed', () => {
    const token = tokens.create(tenant, sid)
    expect(tokens.sessionOf({ ...tenant, environment: 'staging' }, token)).toBeNull()
    expect(tokens.sessionOf({ projectId: 'shop/master', environment: '' }, token)).toBeNull()
    expect(createRefreshTokens([randomBytes(32)]).sessionOf(tenant, token)).toBeNull()
    const bytes = Buffer.from(token, 'base64')
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 0x80
      expect(tokens.sessionOf(tenant, changed.toString('base64'))).toBeNull()
    }
    const spelled = `${token.slice(0, 10)}\n${token.slice(10)}`
    for (const other of ['', 'x', spelled, `${token}AAAA`, token.replaceAll('+', '-')]) {
      if (other !== token) expect(tokens.sessionOf(tenant, other)).toBeNull()
    }
  })

  it('are stored as SHA-256', () => {
    expect(refreshHash('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})
