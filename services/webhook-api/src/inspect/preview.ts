import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { ChangeEvent } from '@surehook/contracts/events'
import {
  type Preview,
  type PreviewInput,
  previewLimits,
} from '@surehook/contracts/http/webhooks/log'
import type { Warning } from '@surehook/contracts/http/webhooks/webhooks'
import { deliveryId } from '@surehook/contracts/ids'
import { buildBody } from '@surehook/matching/build-body'
import { mismatchOf } from '@surehook/matching/mismatch'
import { headerNames } from '@surehook/matching/own-headers'
import { plainHeaders, signedHeaders, signingKeys } from '@surehook/matching/signed-headers'
import type { ChangeLog } from '../change-log/change-log.ts'
import { refuseForeignTenant } from '../subscriptions/subscription-changes.ts'
import type { Tenant } from '../tenants/tenant.ts'

export type PreviewDeps = {
  changeLog: Pick<ChangeLog, 'newest'>
  reads: TenantSlots
  /**
   * Checks the subscription. Rejects if the environment does not exist, or if its table cannot be
   * watched in this way.
   */
  admit: (tenant: Tenant, input: PreviewInput) => Promise<AdmittedPreview>
  now: () => number
}

type AdmittedPreview = { input: PreviewInput; warnings: Warning[] }

/** Stands for the value of a header of the subscriber's own. */
const hidden = '***'
/** Stands for the id that the subscription does not have yet. */
const noSubscription = '00000000-0000-0000-0000-000000000000'

/**
 * Shows the deliveries that a subscription would have got for the newest changes. Stores and sends
 * nothing.
 */
export function createPreview({ changeLog, reads, admit, now }: PreviewDeps) {
  return async (tenant: Tenant, asked: PreviewInput): Promise<Preview> => {
    refuseForeignTenant(asked, tenant)
    const { input, warnings } = await admit(tenant, asked)
    const { table, events } = input
    const filter = input.filter ? JSON.stringify(input.filter) : null
    const mismatch = mismatchOf({ ...tenant, table, events, filter })
    const { changes: count, ...limits } = previewLimits
    const place = { ...tenant, table }
    const { changes } = await reads.run(tenant, () => changeLog.newest(place, { ...limits, count }))
    const matched = changes.filter((change) => mismatch(change) === null)
    const samples = samplesOf(
      matched.map(({ event }) => event),
      { input, timestampS: Math.floor(now() / 1000) },
    )
    const preview = { scanned: changes.length, matched: matched.length, samples }
    return warnings.length === 0 ? preview : { ...preview, warnings }
  }
}

function samplesOf(
  events: readonly ChangeEvent[],
  { input, timestampS }: { input: PreviewInput; timestampS: number },
): Preview['samples'] {
  const select = input.select ? new Set(input.select) : null
  const samples: Preview['samples'] = []
  let left: number = previewLimits.sampleBytes
  // No answer holds a value of them.
  const own = Object.fromEntries(
    headerNames(input.policy?.headers ?? {}).map((name) => [name, hidden]),
  )
  for (const event of events.slice(0, previewLimits.samples)) {
    const body = buildBody(event, select)
    left -= body.length
    // The first sample is shown whatever its size.
    if (left < 0 && samples.length > 0) break
    const headers = { ...own, ...headersOf({ event, body }, { secret: input.secret, timestampS }) }
    samples.push({ eventId: event.id, headers, body: body.toString() })
  }
  return samples
}

function headersOf(
  { event, body }: { event: ChangeEvent; body: Buffer },
  { secret, timestampS }: { secret: string | undefined; timestampS: number },
): Record<string, string> {
  const { id: eventId, operation } = event
  const webhookId = deliveryId(eventId, noSubscription)
  const signable = { body, eventId, webhookId, operation }
  return secret === undefined
    ? plainHeaders(signable, timestampS)
    : signedHeaders(signable, [signingKeys(secret)], timestampS)
}
