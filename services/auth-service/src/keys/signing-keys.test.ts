import { expect, it } from '@jest/globals'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { Tenant } from '../platform/tenant.ts'
import { newKeyPair } from './key-pair.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import { createSigningKeys } from './signing-keys.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const hour = 3_600_000
const tenantOf = (accessTokenTtl: number): Tenant => ({
  projectId: 'p',
  environment: 'master',
  createdAt: '2026-01-01T00:00:00.000Z',
  settings: { ...defaultAuthSettings, accessTokenTtl },
  hasMailLocale: false,
  keyEpoch: 0,
})

async function aKey(activeFrom: number): Promise<StoredKey> {
  const { kid, publicKey, privatePem } = await newKeyPair()
  const times = { createdAt: activeFrom, activeFrom, longestTtl: 900 }
  return { kid, use: 'sig', publicKey, sealedPrivateKey: privatePem, ...times }
}

it('does not revive an ended key, however long new tokens live', async () => {
  const stored = [await aKey(now - 48 * hour), await aKey(now - 2 * hour)]
  const [ended, newest] = stored.map(({ kid }) => kid)
  const keepAll = () => Promise.resolve(stored)
  const store: KeyStore = {
    find: keepAll,
    ensure: keepAll,
    rotate: keepAll,
    replace: keepAll,
    noteTtl: async (_tenant, kid, ttlS) => {
      for (const [at, key] of stored.entries()) {
        if (key.kid === kid) stored[at] = { ...key, longestTtl: ttlS }
      }
    },
    open: (_tenant, { sealedPrivateKey }) => sealedPrivateKey,
  }
  const keys = createSigningKeys({ store, maxAgeMs: 90 * 24 * hour, now: () => now })
  const tenant = tenantOf(86_400)
  expect((await keys.current(tenant, 'sig')).kid).toBe(newest)
  expect((await keys.published(tenant)).map(({ kid }) => kid)).toEqual([newest])
  expect(await keys.find(tenant, 'sig', ended ?? '')).toBeNull()
})
