import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Relay } from '@surehook/change-capture/relay/relay'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type BackgroundWork, runBackgroundWork } from '../jobs/background-work.ts'
import { type SubscriptionRow, toState } from './store/subscription-row.ts'

export type RestateSubscriptionsDeps = {
  writer: Pick<StateWriter, 'write'>
  relay: Pick<Relay, 'role'>
  log: Logger
}

const lookEveryMs = 1_000
const pageSize = 200

/**
 * Publishes states with a policy, a name or cancellations again when this process begins to relay.
 * A replica of an older version may have relayed before, and it leaves these fields out. These
 * states are no changes, so they make no events.
 */
export function runRestateSubscriptions(deps: RestateSubscriptionsDeps): BackgroundWork {
  const { writer, relay, log } = deps
  /** The id after which it continues; `null` if all were sent since this process began to relay. */
  let after: string | null = firstId
  return runBackgroundWork({
    async work() {
      if (relay.role !== 'leader') after = firstId
      if (relay.role !== 'leader' || after === null) return lookEveryMs
      const rows = await restatePage(writer, after)
      after = rows.length < pageSize ? null : (rows.at(-1)?.id ?? null)
      if (rows.length > 0) log.info({ count: rows.length }, 'subscriptions.restated')
      return after === null ? lookEveryMs : 0
    },
    onFailure: (err) => log.warn({ err }, 'subscriptions.restate_failed'),
    retryMs: lookEveryMs,
  })
}

const firstId = '00000000-0000-0000-0000-000000000000'

function restatePage(
  writer: RestateSubscriptionsDeps['writer'],
  after: string,
): Promise<SubscriptionRow[]> {
  return writer.write(async (tx, emit) => {
    const { rows } = await tx.query<SubscriptionRow>(
      `select * from subscription
       where (policy is not null or name is not null or cancellations <> '[]') and id > $1
       order by id limit ${pageSize} for update`,
      [after],
    )
    for (const row of rows) {
      await emit({ topic: subscriptionsTopic, key: row.id, state: toState(row) })
    }
    return rows
  })
}
