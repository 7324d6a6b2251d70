import type { DeliveryJob } from '@surehook/contracts/events'
import { retryTopic } from '@surehook/contracts/topics'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { parseDuration } from '@surehook/service-kit/time'
import type { Delivery } from '../../delivery/delivery.ts'

/** The longest delay of a Node timer. */
const longestTimerMs = 2 ** 31 - 1

const retries = retryTopic('')
export const isRetryTopic = (topic: string): boolean => topic.startsWith(retries)
/** A delay with its largest jitter. */
const stretched = 1.1

/** The longest wait of a job on this topic. */
function longestWaitOn(topic: string): number {
  return isRetryTopic(topic)
    ? parseDuration(topic.slice(retries.length)) * stretched
    : longestTimerMs
}

/**
 * Returns how long a job has to wait. Not positive: it is due. A due time beyond the longest wait
 * comes from a clock that was ahead of this one. Then the job waits from the time that the broker
 * appended its record, so that those behind it on a retry topic do not wait one after another.
 */
export function waitMsOf({ dueAt }: DeliveryJob, { topic, timestamp }: AppendedAt): number {
  const now = Date.now()
  const longestMs = longestWaitOn(topic)
  if (dueAt - now <= longestMs) return dueAt - now
  return Math.min(longestMs, Number(timestamp) + longestMs - now)
}

/** `timestamp`: the broker's clock when it appended the record, epoch ms. */
type AppendedAt = Pick<WindowedMessage, 'topic' | 'timestamp'>

/** The jobs of one partition that are not due yet. */
export class DueTimes {
  /** By topic, the number of jobs that are not due. They may fill the window of a retry topic. */
  readonly #waitingBy = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()

  /** Calls `then` when the job is due; at once if it already is. */
  await({ job, message }: Delivery, then: () => void): void {
    const waitMs = waitMsOf(job, message)
    if (waitMs <= 0) return then()
    const { topic } = message
    this.#count(topic, 1)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#count(topic, -1)
      then()
    }, waitMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Lets go of jobs that would be kept for hours by a timer. */
  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /**
   * How many messages and bytes of an assigned partition wait for something other than their due
   * time.
   */
  dueOf({ topic, held, heldBytes }: AssignedPartition): { messages: number; bytes: number } {
    const messages = held - this.#waitingOn(topic)
    return { messages, bytes: held === 0 ? 0 : heldBytes * (messages / held) }
  }

  #waitingOn(topic: string): number {
    return this.#waitingBy.get(topic) ?? 0
  }

  #count(topic: string, change: number): void {
    this.#waitingBy.set(topic, this.#waitingOn(topic) + change)
  }
}
