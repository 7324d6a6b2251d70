import type {
  SubscriptionChange,
  SubscriptionInput,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Tenant } from '../tenants/tenant.ts'
import { changePolicy } from './policy/change-policy.ts'
import type { FittedPolicy } from './policy/fit-to-ladder.ts'
import { policyAt } from './policy/policy-at.ts'
import { defaultOverlapS, rotateSecret } from './rotate-secret.ts'
import type { SubscriptionRow } from './store/subscription-row.ts'

/** Its policy is one that the installation can keep. */
export type FittedInput<Input> = Omit<Input, 'policy'> & {
  policy?: FittedPolicy | null | undefined
}

/** The body may name a tenant only if it is that of the headers. */
export function refuseForeignTenant(
  body: { projectId?: string | undefined; environment?: string | undefined },
  tenant: Tenant,
): void {
  if (body.environment !== undefined && body.environment !== tenant.environment) {
    throw new AppError(
      'ENVIRONMENT_MISMATCH',
      'The environment differs from the environment header',
    )
  }
  if (body.projectId !== undefined && body.projectId !== tenant.projectId) {
    throw invalid([
      {
        field: 'projectId',
        message: 'must be the project of the X-Project-Id header',
        rule: 'mismatch',
      },
    ])
  }
}

export function newSubscription(
  box: SecretBox,
  input: FittedInput<SubscriptionInput>,
  { id, now }: { id: string; now: Date },
): SubscriptionRow {
  return {
    id,
    project_id: input.projectId,
    environment: input.environment,
    watched_table: input.table,
    events: input.events,
    url: input.url,
    active: input.active ?? true,
    filter: filterText(input.filter),
    selected: input.select ?? null,
    secrets: [{ ciphertext: box.seal(input.secret, id), validUntil: null }],
    created_at: now,
    updated_at: now,
    disabled_at: null,
    disabled_reason: null,
    policy: changePolicy(box, { id, policy: null }, input.policy),
    cancellations: [],
    name: input.name ?? null,
    key: input.key ?? null,
    description: input.description ?? null,
  }
}

/** Applies a change: absent fields stay, and `null` removes what may be absent. */
export function changeSubscription(
  box: SecretBox,
  row: SubscriptionRow,
  { change, now }: { change: FittedInput<SubscriptionChange>; now: Date },
): SubscriptionRow {
  const url = change.url ?? row.url
  return {
    ...row,
    watched_table: change.table ?? row.watched_table,
    events: change.events ?? row.events,
    url,
    active: change.active ?? row.active,
    filter: change.filter === undefined ? row.filter : filterText(change.filter),
    selected: change.select === undefined ? row.selected : change.select,
    secrets: changeSecrets(box, row, { change, now }),
    updated_at: now,
    policy: changePolicy(box, { id: row.id, policy: policyAt(url, row) }, change.policy),
    name: change.name === undefined ? row.name : change.name,
    key: change.key === undefined ? row.key : change.key,
    description: change.description === undefined ? row.description : change.description,
    ...(change.active === true && { disabled_at: null, disabled_reason: null }),
  }
}

function changeSecrets(
  box: SecretBox,
  { id, secrets }: SubscriptionRow,
  { change, now }: { change: Pick<SubscriptionChange, 'secret' | 'secretOverlap'>; now: Date },
) {
  const { secret, secretOverlap: overlapS = defaultOverlapS } = change
  if (secret === undefined) return secrets
  return rotateSecret(box, { subscriptionId: id, secrets, secret, overlapS, now })
}

export function filterText(filter: Record<string, unknown> | null | undefined): string | null {
  return filter === undefined || filter === null ? null : JSON.stringify(filter)
}
