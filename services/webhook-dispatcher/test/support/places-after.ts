import type { DeliveryJob } from '@surehook/contracts/events'
import { pausedTopic, retryTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { pausedHeaders } from '../../src/delivery/paused-headers.ts'
import { nextStepOf, retryInOrder, type Transition } from '../../src/transitions/transitions.ts'

export type JobRecord = { topic: string; job: DeliveryJob; headers: Record<string, string> }

export const retries = retryTopic('1s')

/** Returns the next record of a job, as `Transitions` writes it. @param dueAt of a retry */
export function placeAfter(job: DeliveryJob, to: Transition, dueAt: number): JobRecord | undefined {
  const next = nextStepOf(job)
  if (to.kind === 'pause')
    return { topic: pausedTopic, job: next, headers: pausedHeaders({ run: 0, ...to }) }
  if (to.kind === 'relocate')
    return { topic: pausedTopic, job: next, headers: pausedHeaders(to.mark) }
  if (to.kind !== 'attempted' || to.next.kind !== 'retry') return undefined
  const again = { attempt: job.attempt + 1, dueAt }
  if (to.group === null) return { topic: retries, job: { ...next, ...again }, headers: {} }
  const headers = pausedHeaders({ run: 0, published: false, group: to.group })
  return { topic: pausedTopic, job: { ...retryInOrder(job), ...again }, headers }
}

type Logs = {
  logs: ReadonlyMap<string, readonly { job: DeliveryJob }[]>
  commits: ReadonlyMap<string, { offset: number; metadata: string }>
}

/** Returns the topic once for each record of the delivery that is open according to the commit. */
export function openOn(topic: string, deliveryId: string, { logs, commits }: Logs): string[] {
  const { offset: committed, metadata } = commits.get(topic) ?? { offset: 0, metadata: '' }
  const assignment = new AssignedPartition({ topic, partition: 0, committed, metadata, end: 0 })
  return (logs.get(topic) ?? []).flatMap(({ job }, offset) => {
    const isOpen = offset >= committed && assignment.take(offset, 0) !== 'finished'
    return isOpen && job.deliveryId === deliveryId ? [topic] : []
  })
}
