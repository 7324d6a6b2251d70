import { refuseInvalid } from '@surehook/kafka/producer/invalid-messages'
import { planDeliveries } from '@surehook/matching/plan-deliveries'
import { type Change, type ReadChange, readChange } from '@surehook/matching/read-change'
import { LoopShare } from '@surehook/service-kit/slots/loop-share'
import type { ChangeBatch } from '../batches/change-batch.ts'
import { ChunkSender } from './chunk-sender.ts'
import { KnownStates } from './known-states.ts'
import { MatchSpans } from './match-spans.ts'
import type { MatcherDeps } from './matcher-deps.ts'

/**
 * Handles a batch of changes. Resolves when Kafka has acknowledged their deliveries. A repeated
 * call with the same changes makes the same deliveries.
 */
export function createMatcher(deps: MatcherDeps): (batch: ChangeBatch) => Promise<void> {
  const known = new KnownStates()
  return async (batch) => {
    const share = new LoopShare()
    const [changes] = await Promise.all([
      readAll(deps, batch, share),
      known.cover(batch) ? undefined : reachStates(deps, batch, known),
    ])
    const sender = new ChunkSender(deps, batch)
    using spans = deps.tracer && new MatchSpans(deps.tracer, batch)
    const output = { sender, spans }
    for (const read of changes) {
      await share.yieldWhenLong()
      batch.signal.throwIfAborted()
      if ('reason' in read) await refuse(deps, batch, read)
      else await deliver(deps, read.change, output)
    }
    await sender.flush()
    spans?.acknowledged()
  }
}

/**
 * Waits for the topic's end as of now, after the changes were read. Every subscription that was
 * answered before one of them was committed is below this end.
 */
async function reachStates(
  { metrics, view }: MatcherDeps,
  batch: ChangeBatch,
  known: KnownStates,
): Promise<void> {
  const stopTimer = metrics.barrierSeconds.startTimer()
  await view.barrier(batch.signal)
  known.add(batch)
  stopTimer()
}

async function readAll(
  { codec }: MatcherDeps,
  { messages }: ChangeBatch,
  share: LoopShare,
): Promise<ReadChange[]> {
  const changes: ReadChange[] = []
  for (const message of messages) {
    await share.yieldWhenLong()
    changes.push(await readChange(codec.change, message))
  }
  return changes
}

type BatchOutput = { sender: ChunkSender; spans: MatchSpans | undefined }

async function deliver(
  deps: MatcherDeps,
  change: Change,
  { sender, spans }: BatchOutput,
): Promise<void> {
  const { index, metrics, maxBodyBytes } = deps
  const stopTimer = metrics.matchSeconds.startTimer()
  const matched = index.match(change)
  stopTimer()
  metrics.changes.inc({ outcome: matched.length > 0 ? 'matched' : 'unmatched' })
  const span = spans?.begin(change.event, matched.length)
  const event = span === undefined ? change.event : span.event
  const plan = planDeliveries(event, matched, { maxBodyBytes, now: change.loggedAt })
  for (const planned of plan) await sender.add(planned, span?.headers)
}

async function refuse(
  { producer, codec, metrics, groupId, log }: MatcherDeps,
  { topic, partition }: ChangeBatch,
  { message, reason }: Extract<ReadChange, { reason: string }>,
): Promise<void> {
  await refuseInvalid(producer, codec, { message, topic, partition, reason, refusedBy: groupId })
  metrics.changes.inc({ outcome: 'invalid' })
  metrics.invalid.inc({ topic: 'changes' })
  log.warn({ topic, partition, offset: message.offset, reason }, 'change.refused')
}
