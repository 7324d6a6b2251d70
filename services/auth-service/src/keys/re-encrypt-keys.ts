import { createHmac } from 'node:crypto'
import type { ResealedPage } from '@surehook/contracts/http/admin/re-encryption'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { createReEncryption, type ReEncryption } from '@surehook/service-kit/crypto/re-encrypt'
import type { Pool } from 'pg'
import { chatContext, type StoredChat } from '../alerts/notify-settings.ts'
import { mailContext } from '../mail/outbox.ts'
import { signingKeyContext } from './key-store.ts'

export type ReEncryptedKeys = ResealedPage & { previousKeysUntil: string | null; sessions: number }

/** The last signing key of a page. */
export type KeyPosition = readonly [projectId: string, environment: string, kid: string]

type SealedSecret = {
  sealed: string
  context: string
  update: (sealed: string) => Promise<unknown>
}

const pageSize = 200

/**
 * Re-encrypts one page of signing keys per call, in order of their names. After the last page it
 * re-encrypts the mails in the outbox and the URLs of chats.
 */
export function createKeyReEncryption(pool: Pool, encryptionKeys: EncryptionKeys) {
  const reEncrypt = createReEncryption(encryptionKeys)
  const keyId = createHmac('sha256', encryptionKeys[0]).update('surehook/key-id').digest('hex')
  return async (after: KeyPosition | null): Promise<ReEncryptedKeys> => {
    if (after === null) await noteKey(pool, keyId.slice(0, 16))
    const { page, next } = await signingKeys(pool, after)
    const isLast = next === null
    const items = isLast
      ? [...page, ...(await waitingMails(pool)), ...(await chatUrls(pool))]
      : page
    const counts = await reEncryptEach(reEncrypt, items)
    const rest = isLast ? await heldByClients(pool, keyId.slice(0, 16)) : nothing
    return { ...counts, next: next && JSON.stringify(next), ...rest }
  }
}

const nothing = { previousKeysUntil: null, sessions: 0 }

async function noteKey(pool: Pool, keyId: string): Promise<void> {
  await pool.query('insert into encryption_key (key_id) values ($1) on conflict do nothing', [
    keyId,
  ])
}

async function reEncryptEach(reEncrypt: ReEncryption, items: readonly SealedSecret[]) {
  const counts = { checked: items.length, resealed: 0, unreadable: 0 }
  for (const { sealed, context, update } of items) {
    const outcome = reEncrypt(sealed, context)
    if (outcome === 'unreadable') counts.unreadable++
    if (typeof outcome === 'string') continue
    await update(outcome.sealed)
    counts.resealed++
  }
  return counts
}

async function signingKeys(pool: Pool, after: KeyPosition | null) {
  const { rows } = await pool.query<{
    projectId: string
    environment: string
    kid: string
    sealed: string
  }>(
    `select project_id as "projectId", environment, kid, sealed_private_key as sealed
       from signing_key where $1::text is null or (project_id, environment, kid) > ($1, $2, $3)
      order by project_id, environment, kid limit ${pageSize}`,
    after === null ? [null, null, null] : [...after],
  )
  const page = rows.map(({ kid, sealed, ...tenant }): SealedSecret => {
    const key = [tenant.projectId, tenant.environment, kid]
    return {
      sealed,
      context: signingKeyContext(tenant, kid),
      update: (resealed) =>
        pool.query(
          `update signing_key set sealed_private_key = $4
            where project_id = $1 and environment = $2 and kid = $3 and sealed_private_key = $5`,
          [...key, resealed, sealed],
        ),
    }
  })
  const last = rows.at(-1)
  const isWhole = rows.length === pageSize && last !== undefined
  const next: KeyPosition | null = isWhole ? [last.projectId, last.environment, last.kid] : null
  return { page, next }
}

async function waitingMails(pool: Pool): Promise<SealedSecret[]> {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    'select id, sealed_code as sealed from mail_outbox where expires_at > now()',
  )
  return rows.map(({ id, sealed }) => ({
    sealed,
    context: mailContext(id),
    update: (resealed) =>
      pool.query('update mail_outbox set sealed_code = $2 where id = $1 and sealed_code = $3', [
        id,
        resealed,
        sealed,
      ]),
  }))
}

async function chatUrls(pool: Pool): Promise<SealedSecret[]> {
  const { rows } = await pool.query<{ project: string; environment: string; chats: StoredChat[] }>(
    `select project_id as project, name as environment, notify_overrides -> 'chats' as chats
       from environment where notify_overrides ? 'chats'`,
  )
  return rows.flatMap(({ project, environment, chats }) =>
    chats.map(({ sealed }, index) => ({
      sealed,
      context: chatContext(project, environment),
      update: (resealed: string) =>
        pool.query(
          `update environment set notify_overrides =
             jsonb_set(notify_overrides, array['chats', $3, 'sealed'], to_jsonb($4::text))
            where project_id = $1 and name = $2
              and notify_overrides #>> array['chats', $3, 'sealed'] = $5`,
          [project, environment, String(index), resealed, sealed],
        ),
    })),
  )
}

/** Refresh tokens and codes cannot be re-encrypted: only their owners have them. */
async function heldByClients(pool: Pool, keyId: string) {
  const { rows } = await pool.query<{ until: Date | null; sessions: number }>(
    `select greatest(s.until, c.until) as until, s.count as sessions
       from encryption_key k,
            lateral (select max(least(idle_expires_at, expires_at)) as until, count(*)::integer as count
                       from session
                      where ended_at is null and rotated_at < k.since
                        and idle_expires_at > now() and expires_at > now()) s,
            lateral (select max(expires_at) as until from code
                      where expires_at > now() and expires_at < k.since + interval '1 hour') c
      where k.key_id = $1`,
    [keyId],
  )
  const [row] = rows
  return { previousKeysUntil: row?.until?.toISOString() ?? null, sessions: row?.sessions ?? 0 }
}
