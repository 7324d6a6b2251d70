import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { SealedSecret } from '@surehook/contracts/events'
import type { ResealedPage } from '@surehook/contracts/http/admin/re-encryption'
import { headersContext } from '@surehook/matching/own-headers'
import type { ReEncryption } from '@surehook/service-kit/crypto/re-encrypt'
import type { PoolClient } from 'pg'
import type { SubscriptionRow } from '../store/subscription-row.ts'
import { updateSubscription } from '../store/subscription-store.ts'
import { emitSubscription } from '../store/subscription-versions.ts'

export type ReEncryptionDeps = { writer: StateWriter; reEncrypt: ReEncryption }

const pageSize = 200

/**
 * Re-encrypts one page of subscriptions, in the order of their ids. Publishes the new state of
 * each, so that dispatchers do not need the previous key either. Publishes no event, because the
 * subscription itself does not change.
 */
export function createSecretReEncryption({ writer, reEncrypt }: ReEncryptionDeps) {
  return (after: string | undefined): Promise<ResealedPage> =>
    writer.write(async (tx, emit) => {
      const rows = await lockPage(tx, after)
      const counts = { checked: rows.length, resealed: 0, unreadable: 0 }
      for (const row of rows) {
        const secrets = reEncryptAll(reEncrypt, row)
        const policy = reEncryptHeaders(reEncrypt, row)
        if (secrets.unreadable || policy.unreadable) counts.unreadable++
        if (!secrets.changed && !policy.changed) continue
        counts.resealed++
        const next = { ...row, secrets: secrets.secrets, policy: policy.policy }
        await updateSubscription(tx, next)
        await emitSubscription(tx, emit, next)
      }
      return { ...counts, next: rows.length < pageSize ? null : (rows.at(-1)?.id ?? null) }
    })
}

async function lockPage(tx: PoolClient, after: string | undefined): Promise<SubscriptionRow[]> {
  const { rows } = await tx.query<SubscriptionRow>(
    `select * from subscription where $1::uuid is null or id > $1
      order by id limit ${pageSize} for update`,
    [after ?? null],
  )
  return rows
}

/**
 * A replaced secret that no longer signs is dropped, because it would keep a key in use for
 * nothing.
 */
function reEncryptAll(
  reEncrypt: ReEncryption,
  { id, secrets }: Pick<SubscriptionRow, 'id' | 'secrets'>,
) {
  const signing = secrets.filter(
    ({ validUntil }) => validUntil === null || Date.parse(validUntil) > Date.now(),
  )
  let unreadable = false
  const sealed = signing.map((secret): SealedSecret => {
    const outcome = reEncrypt(secret.ciphertext, id)
    if (outcome === 'unreadable') unreadable = true
    return typeof outcome === 'string' ? secret : { ...secret, ciphertext: outcome.sealed }
  })
  const changed =
    sealed.length < secrets.length || sealed.some((secret, at) => secret !== signing[at])
  return { secrets: sealed, changed, unreadable }
}

function reEncryptHeaders(
  reEncrypt: ReEncryption,
  { id, policy }: Pick<SubscriptionRow, 'id' | 'policy'>,
): { policy: SubscriptionRow['policy']; changed: boolean; unreadable: boolean } {
  const kept = { policy, changed: false, unreadable: false }
  if (!policy?.headers) return kept
  const outcome = reEncrypt(policy.headers.ciphertext, headersContext(id))
  if (outcome === 'current') return kept
  if (outcome === 'unreadable') return { ...kept, unreadable: true }
  const headers = { ...policy.headers, ciphertext: outcome.sealed }
  return { policy: { ...policy, headers }, changed: true, unreadable: false }
}
