import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { TenantName } from '../platform/tenant.ts'

/** Creates and verifies refresh tokens without database access or state. */
export type RefreshTokens = {
  create(tenant: TenantName, sessionId: string): string
  /**
   * Derives the successors of a token. A token always has the same ones, so a repeated refresh gets
   * the answer of the first. Use the first successor for an exchange; while encryption keys are
   * replaced, another replica may have given one of the others.
   */
  successors(tenant: TenantName, token: string, sessionId: string): readonly [string, ...string[]]
  /**
   * Returns the session of a token that this service made for the tenant, or `null` for anything
   * else.
   */
  sessionOf(tenant: TenantName, token: string): string | null
}

const idBytes = 16
const chanceBytes = 16
const tagBytes = 16

/**
 * A refresh token is the base64 of session id, 16 random bytes and a MAC. The MAC proves that an
 * old token was once valid: only such a token may end the session.
 */
export function createRefreshTokens([current, ...previous]: EncryptionKeys): RefreshTokens {
  const first = makerOf(current)
  const others = previous.map(makerOf)
  const makers = [first, ...others]
  return {
    create: (tenant, sessionId) => first.build(tenant, sessionId, randomBytes(chanceBytes)),
    successors: (tenant, token, sessionId) => [
      first.successor(tenant, token, sessionId),
      ...others.map((maker) => maker.successor(tenant, token, sessionId)),
    ],
    sessionOf(tenant, token) {
      const bytes = Buffer.from(token, 'base64')
      if (bytes.length !== idBytes + chanceBytes + tagBytes) return null
      if (bytes.toString('base64') !== token) return null
      const body = bytes.subarray(0, idBytes + chanceBytes)
      const tag = bytes.subarray(body.length)
      if (!makers.some(({ tagOf }) => timingSafeEqual(tag, tagOf(tenant, body)))) return null
      return formatUuid(body.subarray(0, idBytes))
    },
  }
}

function makerOf(encryptionKey: Buffer) {
  // Created once: Node would turn raw bytes into a key object for each MAC, which costs four times
  // the MAC.
  const key = (purpose: string) => {
    const bytes = hkdfSync('sha256', encryptionKey, '', `surehook/refresh-token/${purpose}`, 32)
    return createSecretKey(Buffer.from(bytes))
  }
  const tagKey = key('tag')
  const successorKey = key('successor')

  function tagOf(tenant: TenantName, body: Buffer): Buffer {
    const named = `${tenant.projectId}/${tenant.environment}/`
    return createHmac('sha256', tagKey).update(named).update(body).digest().subarray(0, tagBytes)
  }

  function build(tenant: TenantName, sessionId: string, chance: Buffer): string {
    const body = Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), chance])
    return Buffer.concat([body, tagOf(tenant, body)]).toString('base64')
  }

  function successor(tenant: TenantName, token: string, sessionId: string): string {
    const chance = createHmac('sha256', successorKey).update(token).digest()
    return build(tenant, sessionId, chance.subarray(0, chanceBytes))
  }
  return { tagOf, build, successor }
}

/** The stored form of a refresh token. */
export function refreshHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ]
  return parts.join('-')
}
