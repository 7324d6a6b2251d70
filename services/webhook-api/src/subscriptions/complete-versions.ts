import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Relay } from '@surehook/change-capture/relay/relay'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type BackgroundWork, runBackgroundWork } from '../jobs/background-work.ts'
import type { SubscriptionRow } from './store/subscription-row.ts'
import { completeVersions, emitSubscription } from './store/subscription-versions.ts'

export type CompleteVersionsDeps = {
  writer: Pick<StateWriter, 'write'>
  relay: Pick<Relay, 'role'>
  log: Logger
}

const lookEveryMs = 1_000
/** Replicas of an older version may write more, until all are replaced. */
const againAfterMs = 60_000
const pageSize = 200

/**
 * Emits the states of subscriptions with versions of an older webhook-api once more: its states
 * list no versions, and compaction removes the earlier states. It works while this process relays,
 * because an older relay would leave the versions out.
 */
export function runCompleteVersions({ writer, relay, log }: CompleteVersionsDeps): BackgroundWork {
  return runBackgroundWork({
    async work() {
      if (relay.role !== 'leader') return lookEveryMs
      const count = await completePage(writer)
      if (count > 0) log.info({ count }, 'subscriptions.versions_completed')
      return count < pageSize ? againAfterMs : 0
    },
    onFailure: (err) => log.warn({ err }, 'subscriptions.complete_versions_failed'),
    retryMs: lookEveryMs,
  })
}

const completePage = (writer: CompleteVersionsDeps['writer']): Promise<number> =>
  writer.write(async (tx, emit) => {
    const { rows } = await tx.query<SubscriptionRow>(
      `select * from subscription where id in (
         select subscription_id from subscription_version where wal_position is null)
       order by id limit ${pageSize} for update`,
    )
    for (const row of rows) {
      await completeVersions(tx, row)
      await emitSubscription(tx, emit, row)
    }
    return rows.length
  })
