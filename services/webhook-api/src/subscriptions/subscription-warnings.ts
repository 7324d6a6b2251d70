import type {
  Subscription,
  SubscriptionChange,
  Warning,
} from '@surehook/contracts/http/webhooks/webhooks'
import { openHeaders } from '@surehook/matching/own-headers'
import { isMalformedSecret } from '@surehook/matching/signed-headers'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { KnownTables } from '../tables/known-tables.ts'
import { tableWarnings } from '../tables/table-warnings.ts'
import { replacedUntil } from './rotate-secret.ts'
import { type SubscriptionRow, toSubscription } from './store/subscription-row.ts'

export type WarningDeps = {
  box: Pick<SecretBox, 'open'>
  tables: Pick<KnownTables, 'fieldsOf' | 'awaitsColumns'>
}

/**
 * The subscription as clients see it, with the end of the overlap of a rotation, and with warnings
 * about what may prevent deliveries. `ofChange`: the warnings about the change that is answered.
 */
export function shown(
  { box, tables }: WarningDeps,
  row: SubscriptionRow,
  ofChange: readonly Warning[] = [],
): Subscription {
  const subscription = toSubscription(row)
  const fields = tables.fieldsOf(subscription)
  const awaitsColumns = tables.awaitsColumns(subscription)
  const warnings = [
    ...ofChange,
    ...tableWarnings(subscription, { fields, awaitsColumns }),
    ...ofSecret(box, row),
    ...ofHeaders(box, row),
  ]
  const previousSecretExpiresAt = replacedUntil(row.secrets, Date.now())
  return {
    ...subscription,
    ...(previousSecretExpiresAt !== null && { previousSecretExpiresAt }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Names the own headers that a change has dropped, although its client did not ask for that. */
export function droppedHeaders(
  { change, before }: { change: Pick<SubscriptionChange, 'policy'>; before: SubscriptionRow },
  after: SubscriptionRow,
): Warning[] {
  const names = before.policy?.headers?.names
  const isAsked = change.policy === null || change.policy?.headers !== undefined
  if (names === undefined || isAsked || after.policy?.headers !== undefined) return []
  const message = `were dropped, because url has another origin now: ${names.join(', ')}`
  return [{ field: 'policy.headers', message }]
}

export function secretWarnings(secret: string | undefined): Warning[] {
  if (secret === undefined || !isMalformedSecret(secret)) return []
  const message = 'is not base64 after whsec_: webhook-signature is made with its text as it is'
  return [{ field: 'secret', message }]
}

function ofSecret(box: WarningDeps['box'], { id, secrets }: SubscriptionRow): Warning[] {
  const current = secrets.find(({ validUntil }) => validUntil === null)
  if (current === undefined) return []
  try {
    return secretWarnings(box.open(current.ciphertext, id))
  } catch {
    // Its key was removed. The warning informs the client.
    return [{ field: 'secret', message: 'cannot be read any more: set a new one' }]
  }
}

function ofHeaders(box: WarningDeps['box'], { id, policy }: SubscriptionRow): Warning[] {
  if (!policy?.headers) return []
  try {
    openHeaders(box, id, policy.headers.ciphertext)
    return []
  } catch {
    return [{ field: 'policy.headers', message: 'cannot be read any more: set them again' }]
  }
}
