import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { waitUntilRelayed } from '@surehook/change-capture/slot/wait-relayed'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { unavailable } from '@surehook/service-kit/errors'
import { openPool } from '@surehook/service-kit/postgres/pool'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { createKeyStore } from '../keys/key-store.ts'
import { createSigningKeys, type SigningKeys } from '../keys/signing-keys.ts'
import type { Notices } from '../mail/notices.ts'
import { type Blacklist, createBlacklist } from '../revocation/blacklist.ts'
import { copyRevocations, openCopyLoop } from '../revocation/copy-loop.ts'
import type { EndedSessions } from '../revocation/revocation.ts'
import { livingRevocations } from '../revocation/revocation-store.ts'
import { createRefreshTokens } from './refresh-token.ts'
import { createSessionMeters } from './session-meters.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { type AccessTokens, createAccessTokens } from './tokens/access-token.ts'
import { createDecryptions } from './tokens/decryptions.ts'

export type SessionParts = AsyncDisposable & {
  readonly keys: SigningKeys
  readonly accessTokens: AccessTokens
  readonly sessions: Sessions
  readonly blacklist: Blacklist
}

export type SessionPartsOptions = {
  service: string
  databaseUrl: string
  pool: Pool
  redis: RedisClient
  writer: StateWriter
  slot: string
  producer: { readonly healthy: boolean }
  relay: { readonly healthy: boolean }
  box: SecretBox
  notices: Notices
  encryptionKeys: EncryptionKeys
  publicUrl: string
  keyMaxAgeMs: number
  keyLeadMs: number
  /** How many invalid encrypted tokens a client may send per minute. */
  maxFailedTokensPerMinute: number
  metrics: Metrics
  log: Logger
}

const relayedWithinMs = 10_000

/** Opens the keys, tokens, sessions and revocations. */
export function openSessions(options: SessionPartsOptions): SessionParts {
  const { service, pool, redis, writer, publicUrl, log } = options
  const meters = createSessionMeters(options.metrics)
  const blacklist = createBlacklist({
    redis,
    living: () => livingRevocations(pool),
    log,
    onRebuild: meters.blacklistRebuilt,
  })
  // Tokens are issued inside transactions. If keys used the same pool, many simultaneous requests
  // could each hold a connection and wait for another one.
  const keyPool = openPool({
    connectionString: options.databaseUrl,
    applicationName: `${service}-keys`,
    max: 2,
    log,
  })
  const keys = openKeys({ ...options, pool: keyPool })
  const isRevoked = blacklist.isRevoked
  const decryptions = createDecryptions({
    maxFailedPerMinute: options.maxFailedTokensPerMinute,
    metrics: options.metrics,
  })
  const accessTokens = createAccessTokens({ keys, decryptions, isRevoked, publicUrl })
  const sessions = createSessions({
    service,
    pool,
    writer,
    accessTokens,
    refreshTokens: createRefreshTokens(options.encryptionKeys),
    blacklist,
    copyRevocations: (ended: EndedSessions) => copyRevocations({ pool, blacklist }, ended),
    relayed: untilRelayed(options),
    notices: options.notices,
    meters,
  })
  const copying = openCopyLoop({ pool, blacklist, log })
  return {
    keys,
    accessTokens,
    sessions,
    blacklist,
    async [Symbol.asyncDispose]() {
      await copying[Symbol.asyncDispose]()
      await keyPool.end()
    },
  }
}

function openKeys({ pool, box, keyMaxAgeMs, keyLeadMs }: SessionPartsOptions): SigningKeys {
  const store = createKeyStore({ pool, box, maxAgeMs: keyMaxAgeMs, leadMs: keyLeadMs })
  return createSigningKeys({ store, maxAgeMs: keyMaxAgeMs })
}

function untilRelayed({ pool, slot, producer, relay }: SessionPartsOptions) {
  return async (lsn: string): Promise<void> => {
    if (!producer.healthy || !relay.healthy) throw unavailable('Nothing is relayed now')
    await waitUntilRelayed(pool, slot, lsn, { timeoutMs: relayedWithinMs })
  }
}
