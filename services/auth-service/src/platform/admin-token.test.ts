import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { adminGate as adminGateOfServices, tokenDigest } from '@surehook/access/admin-gate'
import { newOperatorSession, verifierOfTokens } from '@surehook/access/operator-session'
import type { ManagementTokenState } from '@surehook/contracts/events'
import type { ManagementRight } from '@surehook/contracts/rights'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { adminGate, createIdentifyCaller } from './admin-token.ts'

const tokenOf = (letter: string) => `mt_${letter.repeat(43)}`
const adminToken = `mt_${'z'.repeat(20)}`
const owner: ManagementTokenState = {
  id: 'owner',
  projectId: 'shop',
  name: 'owner',
  tokenHash: '',
  environments: ['live'],
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: null,
  rights: ['users'],
}

type Call = { right?: ManagementRight; token?: Partial<ManagementTokenState>; method?: string }

/** Calls the gate for an operation of the environment `shop/live`. */
async function pass(
  authorization: string | undefined,
  { right, token = {}, method = 'GET' }: Call = {},
) {
  const known = createHash('sha256').update(tokenOf('a')).digest('hex')
  const find = async (hash: string) => (hash === known ? { ...owner, ...token } : undefined)
  const gate = adminGate(
    createIdentifyCaller(['correct-horse', 'the-next-horse', adminToken], find),
    verifierOfTokens(['correct-horse', 'the-next-horse']),
  )
  const req = {
    method,
    headers: { authorization },
    params: { project: 'shop', environment: 'live' },
  }
  const context = { req, right, operation: 'tested' } as unknown as RequestContext
  await gate(context)
  // Its large requests take turns as those of its project.
  expect(context.owner).toBe(context.actorId === undefined ? undefined : 'shop')
  return context.actorId
}

describe('the administration token', () => {
  it.each([
    'Bearer correct-horse',
    'bearer correct-horse',
    'Bearer  correct-horse ',
    'Bearer the-next-horse',
    `Bearer ${adminToken}`,
  ])('is admitted as %j to every operation', async (header) => {
    expect(await pass(header)).toBeUndefined()
    expect(await pass(header, { right: 'users' })).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'correct-horse',
    'Basic correct-horse',
    'Bearer correct-hors',
    'Bearer correct-horse2',
    'Bearer correct-horse,the-next-horse',
    'Bearer correct-horse correct-horse',
  ])('is refused as %j', async (header) => {
    await expect(pass(header)).rejects.toMatchObject({ code: 'ADMIN_TOKEN_INVALID' })
  })

  it('distinguishes no credential from a wrong one', async () => {
    await expect(pass(undefined)).rejects.toThrow('There is no credential')
    await expect(pass('')).rejects.toThrow('There is no credential')
    await expect(pass('Bearer wrong')).rejects.toThrow('The administration token is wrong')
  })
})

describe('a session of a one-time code', () => {
  const sessionOf = (token: string, at = Date.now()) =>
    `Bearer ${newOperatorSession(token, tokenDigest(token), at)}`

  it.each(['GET', 'HEAD'])('is admitted to %s', async (method) => {
    await pass(sessionOf('the-next-horse'), { method })
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is forbidden to %s', async (method) => {
    await expect(pass(sessionOf('correct-horse'), { method })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('only reads'),
    })
  })

  it.each([
    ['of another administration token', sessionOf('another-horse')],
    ['of an hour ago', sessionOf('correct-horse', Date.now() - 3_600_000)],
    ['that somebody prolonged', sessionOf('correct-horse').replace(/os_\d{10}/, 'os_9999999999')],
    ['without its proof', sessionOf('correct-horse').replace(/\.[\w-]{43}\./, '.')],
  ])('is refused as one %s', async (_what, header) => {
    await expect(pass(header)).rejects.toMatchObject({ code: 'ADMIN_TOKEN_INVALID' })
  })

  it('that was made from the digest of the token alone is refused', async () => {
    const digest = tokenDigest('correct-horse')
    const forged = newOperatorSession(digest.toString('hex'), digest, Date.now())
    await expect(pass(`Bearer ${forged}`)).rejects.toMatchObject({ code: 'ADMIN_TOKEN_INVALID' })
    expect(() =>
      adminGateOfServices([digest])({
        method: 'GET',
        headers: { authorization: `Bearer ${forged}` },
      }),
    ).not.toThrow()
  })
})

describe('a management token', () => {
  const shown = `Bearer ${tokenOf('a')}`
  const users = { right: 'users' } as const

  it('is admitted with the right of the operation, and named', async () => {
    expect(await pass(shown, users)).toBe('owner')
    expect(await pass(shown, { ...users, token: { rights: null, environments: null } })).toBe(
      'owner',
    )
  })

  it.each([
    ['without the right', { rights: ['records'] }, 'The management token has no right "users"'],
    ['of another project', { projectId: 'bank' }, 'The token is not for this project'],
    ['of another environment', { environments: ['test'] }, 'The token is not for this project'],
  ])('is forbidden %s', async (_what, token, message) => {
    await expect(pass(shown, { ...users, token })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(message),
    })
  })

  it('is forbidden where the operation names no right', async () => {
    await expect(pass(shown, { token: { rights: null } })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'This needs the administration token',
    })
  })

  it.each([
    ['unknown', `Bearer ${tokenOf('b')}`, {}],
    ['malformed', 'Bearer mt_short', {}],
    ['expired', shown, { expiresAt: '2026-01-01T00:00:00Z' }],
  ])('is refused when it is %s', async (_what, header, token) => {
    await expect(pass(header, { ...users, token })).rejects.toMatchObject({
      code: 'MANAGEMENT_TOKEN_INVALID',
    })
  })
})
