import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { EndReason } from '../revocation/revocation.ts'

const revocationReasons = [
  'logout',
  'reuse',
  'reset',
  'change',
  'disabled',
  'unverified',
  'deleted',
  'forced',
  'roles',
] as const satisfies readonly (EndReason | 'roles')[]

export type SessionMeters = {
  refreshed(outcome: 'exchanged' | 'unknown' | 'ended' | 'reused'): void
  /** Counts sessions, or the access tokens of sessions, that were ended before they expired. */
  ended(reason: EndReason | 'roles', count: number): void
  blacklistRebuilt(): void
}

export function createSessionMeters(metrics: Metrics): SessionMeters {
  const refreshes = fromZero(
    metrics.counter({
      name: 'surehook_auth_refreshes_total',
      help: 'Refresh tokens presented, by outcome',
      labelNames: ['outcome'],
    }),
    'outcome',
    ['exchanged', 'unknown', 'ended', 'reused'],
  )
  const revocations = fromZero(
    metrics.counter({
      name: 'surehook_auth_revocations_total',
      help: 'Sessions whose access tokens were revoked, by reason',
      labelNames: ['reason'],
    }),
    'reason',
    revocationReasons,
  )
  const rebuilds = metrics.counter({
    name: 'surehook_auth_blacklist_rebuilds_total',
    help: 'Copies of the whole blacklist to Redis',
  })
  return {
    refreshed: (outcome) => refreshes.inc({ outcome }),
    ended: (reason, count) => revocations.inc({ reason }, count),
    blacklistRebuilt: () => rebuilds.inc(),
  }
}
