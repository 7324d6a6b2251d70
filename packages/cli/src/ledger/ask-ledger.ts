import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import type { Problem } from '@surehook/contracts/problem'
import type { Platform } from '../lib/platform-client.ts'

export type LedgerQuestion = {
  from: Date
  /** Default: now. */
  to?: Date | undefined
  project?: string | undefined
  environment?: string | undefined
}

/**
 * Requests the delivery ledger of a running system. It waits without a timeout, until `signal`
 * aborts.
 */
export async function askLedger(
  { baseUrl, adminToken }: Platform,
  { from, to, project, environment }: LedgerQuestion,
  signal?: AbortSignal,
): Promise<Ledger> {
  const query = new URLSearchParams({
    from: from.toISOString(),
    ...(to && { to: to.toISOString() }),
    ...(project && { project }),
    ...(environment && { environment }),
  })
  const response = await fetch(`${baseUrl}/gw/api/rest/_webhooks/_ledger?${query.toString()}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    ...(signal && { signal }),
  })
  const answer = (await response.json()) as Ledger | Problem
  if (!('error' in answer)) return answer
  const faults = answer.violations?.map(({ field, message }) => `${field} ${message}`) ?? []
  throw new Error([answer.error, answer.message, ...faults].filter(Boolean).join(': '))
}
