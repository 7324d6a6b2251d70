import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { EnvironmentState, ManagementTokenState } from '@surehook/contracts/events'
import { environmentsTopic, managementTokensTopic } from '@surehook/contracts/topics'
import { unavailable } from '@surehook/service-kit/errors'
import { createPlatformAccess } from './management-access.ts'
import { PlatformState } from './platform-state.ts'

const now = Date.parse('2026-06-01T12:00:00Z')
const tokenOf = (letter: string) => `mt_${letter.repeat(43)}`
const bearer = (letter: string) => `Bearer ${tokenOf(letter)}`

function token(letter: string, more: Partial<ManagementTokenState> = {}): ManagementTokenState {
  return {
    id: `id-${letter}`,
    projectId: 'shop',
    name: letter,
    tokenHash: createHash('sha256').update(tokenOf(letter)).digest('hex'),
    environments: null,
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: null,
    rights: null,
    ...more,
  }
}

/** Creates platform state with a fake view. Records in `late` arrive with the next barrier. */
function setUp({ healthy = true } = {}) {
  const state = new PlatformState()
  const late: (() => void)[] = []
  let barriers = 0
  const view = {
    ready: Promise.resolve(),
    healthy,
    async barrier() {
      barriers++
      for (const arrive of late.splice(0)) arrive()
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const put = (value: ManagementTokenState) => state.apply(managementTokensTopic, value.id, value)
  const access = createPlatformAccess({ state, view, now: () => now })
  const authorize = (authorization: string | undefined, more: object = {}) =>
    access.authorizeManagement({
      authorization,
      projectId: 'shop',
      environment: 'live',
      right: 'records',
      ...more,
    })
  return { state, late, put, access, authorize, barriers: () => barriers }
}

describe('authorizeManagement', () => {
  it('admits a token to every environment of its project, or to those it names', async () => {
    const { put, authorize, barriers } = setUp()
    put(token('a'))
    put(token('b', { environments: ['test', 'live'] }))
    for (const letter of ['a', 'b']) {
      expect(await authorize(bearer(letter))).toEqual({
        projectId: 'shop',
        environment: 'live',
        tokenId: `id-${letter}`,
      })
    }
    expect(barriers()).toBe(0)
  })

  it.each([
    ['of another project', { projectId: 'bank' }],
    ['of other environments', { environments: ['test'] }],
    ['of no environment', { environments: [] }],
  ])('forbids a token %s', async (_what, more) => {
    const { put, authorize } = setUp()
    put(token('a', more))
    await expect(authorize(bearer('a'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('forbids a token without the right, and names the right', async () => {
    const { put, authorize } = setUp()
    put(token('a', { rights: ['records', 'tables'] }))
    expect(await authorize(bearer('a'))).toMatchObject({ tokenId: 'id-a' })
    await expect(authorize(bearer('a'), { right: 'webhooks' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'The management token has no right "webhooks"',
    })
  })

  it.each([
    ['none', undefined],
    ['another scheme', `Basic ${tokenOf('a')}`],
    ['no token', 'Bearer '],
    ['what cannot be a token', 'Bearer mt_short'],
    ['two tokens', `${bearer('a')}, ${bearer('a')}`],
  ])('refuses %s without asking the topics', async (_what, authorization) => {
    const { put, authorize, barriers } = setUp()
    put(token('a'))
    await expect(authorize(authorization)).rejects.toMatchObject({
      code: 'MANAGEMENT_TOKEN_INVALID',
    })
    expect(barriers()).toBe(0)
  })

  it('answers a missing credential and a wrong one with different messages', async () => {
    const { authorize } = setUp()
    await expect(authorize(undefined)).rejects.toThrow('There is no credential')
    await expect(authorize(bearer('a'))).rejects.toThrow('The management token is not valid')
  })

  it('brings its view up to date once before it refuses an unknown token', async () => {
    const { put, authorize, late, barriers } = setUp()
    late.push(() => put(token('a')))
    expect(await authorize(bearer('a'))).toMatchObject({ tokenId: 'id-a' })
    await expect(authorize(bearer('b'))).rejects.toMatchObject({
      code: 'MANAGEMENT_TOKEN_INVALID',
    })
    expect(barriers()).toBe(2)
  })

  it('refuses a token that was revoked or replaced', async () => {
    const { state, put, authorize } = setUp()
    put(token('a'))
    put(token('b', { id: 'id-a' }))
    await expect(authorize(bearer('a'))).rejects.toMatchObject({ code: 'MANAGEMENT_TOKEN_INVALID' })
    state.apply(managementTokensTopic, 'id-a', null)
    await expect(authorize(bearer('b'))).rejects.toMatchObject({ code: 'MANAGEMENT_TOKEN_INVALID' })
  })

  it('refuses a token from the moment it expires', async () => {
    const { put, authorize } = setUp()
    put(token('a', { expiresAt: '2026-06-01T12:00:00.001Z' }))
    put(token('b', { expiresAt: '2026-06-01T12:00:00.000Z' }))
    expect(await authorize(bearer('a'))).toMatchObject({ tokenId: 'id-a' })
    await expect(authorize(bearer('b'))).rejects.toMatchObject({ code: 'MANAGEMENT_TOKEN_INVALID' })
  })

  it('names every header that is missing or malformed, to a holder of a token', async () => {
    const { put, authorize } = setUp()
    put(token('a'))
    const faulty = { projectId: undefined, environment: 'a, b' }
    await expect(authorize(bearer('a'), faulty)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      violations: [
        { field: 'X-Project-Id', message: 'is required' },
        { field: 'environment', message: expect.any(String) },
      ],
    })
    await expect(authorize(bearer('b'), faulty)).rejects.toMatchObject({
      code: 'MANAGEMENT_TOKEN_INVALID',
    })
  })

  it('trusts a view that does not follow its topics only after a barrier', async () => {
    const revoked = setUp({ healthy: false })
    revoked.put(token('a'))
    revoked.late.push(() => revoked.state.apply(managementTokensTopic, 'id-a', null))
    await expect(revoked.authorize(bearer('a'))).rejects.toMatchObject({
      code: 'MANAGEMENT_TOKEN_INVALID',
    })

    const away = setUp({ healthy: false })
    away.put(token('a'))
    away.late.push(() => {
      throw unavailable('The view is behind')
    })
    await expect(away.authorize(bearer('a'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})

const live: EnvironmentState = {
  projectId: 'shop',
  environment: 'live',
  settings: '{}',
  updatedAt: '2026-01-01T00:00:00Z',
  deletedAt: null,
  keyEpoch: 0,
  createdAt: '2026-01-01T00:00:00Z',
  changesFrom: { topicId: 'ab', offsets: [7] },
}

describe('standingOf', () => {
  const credentials = {
    authorization: bearer('a'),
    projectId: 'shop',
    environment: 'live',
    right: 'webhooks',
  } as const

  it('holds while token and environment are there, and ends with either', async () => {
    const { state, put, access } = setUp()
    const isAdmitted = access.standingOf(credentials)
    expect(isAdmitted()).toBe(false)
    put(token('a'))
    expect(isAdmitted()).toBe(false)
    state.apply(environmentsTopic, 'shop/live', live)
    expect(isAdmitted()).toBe(true)
    put(token('a', { environments: ['test'] }))
    expect(isAdmitted()).toBe(false)
    put(token('a', { rights: ['records'] }))
    expect(isAdmitted()).toBe(false)
    put(token('a', { expiresAt: '2026-06-01T12:00:00.000Z' }))
    expect(isAdmitted()).toBe(false)
    put(token('a'))
    state.apply(environmentsTopic, 'shop/live', { ...live, deletedAt: '2026-01-01T00:00:00Z' })
    expect(isAdmitted()).toBe(false)
    state.apply(environmentsTopic, 'shop/live', live)
    state.apply(managementTokensTopic, 'id-a', null)
    expect(isAdmitted()).toBe(false)
  })

  it('trusts no view that does not follow its topics', async () => {
    const { state, put, access } = setUp({ healthy: false })
    put(token('a'))
    state.apply(environmentsTopic, 'shop/live', live)
    expect(access.standingOf(credentials)()).toBe(false)
  })
})

describe('environmentExists', () => {
  it('reads the topic, and updates its view before it returns false', async () => {
    const { state, access, late, barriers } = setUp()
    late.push(() => state.apply(environmentsTopic, 'shop/live', live))
    expect(await access.environmentExists('shop', 'live')).toBe(true)
    expect(await access.environmentExists('shop', 'live')).toBe(true)
    expect(barriers()).toBe(1)
    expect(await access.environmentExists('shop', 'test')).toBe(false)
    expect(await access.environmentExists('bank', 'live')).toBe(false)
    state.apply(environmentsTopic, 'shop/live', null)
    expect(await access.environmentExists('shop', 'live')).toBe(false)
  })
})

describe('originOf', () => {
  const { createdAt, changesFrom } = live

  it('is of this environment, not of an earlier one of its name', async () => {
    const { state, access, late } = setUp()
    state.apply(environmentsTopic, 'shop/live', live)
    expect(await access.originOf('shop', 'live')).toMatchObject({ createdAt, changesFrom })
    state.apply(environmentsTopic, 'shop/live', { ...live, deletedAt: createdAt })
    await expect(access.originOf('shop', 'live')).rejects.toMatchObject({
      code: 'ENVIRONMENT_NOT_FOUND',
    })
    const again = { createdAt: '2026-02-02T00:00:00Z', changesFrom: null }
    late.push(() => state.apply(environmentsTopic, 'shop/live', { ...live, ...again }))
    expect(await access.originOf('shop', 'live')).toMatchObject(again)
  })
})

describe('admitsUsers', () => {
  const setTo = (state: PlatformState, settings: string, keyEpoch = 0) => {
    state.apply(environmentsTopic, 'shop/live', { ...live, settings, keyEpoch })
  }

  it.each([
    ['{}', true],
    ['{"auth":{}}', true],
    ['{"auth":{"enabled":true,"accessTokenTtl":60}}', true],
    ['{"auth":{"enabled":false}}', false],
    ['{"auth":{"enabled":0}}', false],
    ['{"auth":7}', false],
    ['{', false],
  ])('reads %s as %j', async (settings, expected) => {
    const { state, access } = setUp()
    setTo(state, settings)
    expect(await access.admitsUsers('shop', 'live')).toBe(expected)
  })

  it('returns the key epoch, which a state without epochs does not lower', async () => {
    const { state, access } = setUp()
    expect(access.keyEpochOf('shop', 'live')).toBe(0)
    setTo(state, '{}', 2)
    expect(access.keyEpochOf('shop', 'live')).toBe(2)
    setTo(state, '{"auth":{}}', 0)
    expect(access.keyEpochOf('shop', 'live')).toBe(2)
    state.apply(environmentsTopic, 'shop/live', null)
    expect(access.keyEpochOf('shop', 'live')).toBe(0)
  })

  it('reads the topic up to that moment, and admits nobody to an unknown environment', async () => {
    const { state, access, late } = setUp()
    expect(await access.admitsUsers('shop', 'live')).toBe(false)
    setTo(state, '{}')
    late.push(() => setTo(state, '{"auth":{"enabled":false}}'))
    expect(await access.admitsUsers('shop', 'live')).toBe(false)
    state.apply(environmentsTopic, 'shop/live', null)
    expect(await access.admitsUsers('shop', 'live')).toBe(false)
  })
})
