import { fetchInOnePass } from './fetch-decoder.ts'
import { commitsOfOneMembership } from './generation-fencing.ts'
import { stopIdleTimers } from './idle-timer.ts'
import { backOffIdleTopics } from './idle-topic-backoff.ts'
import { joinWhileWorking } from './join-while-working.ts'
import { goOnWithoutLeaders } from './leaderless-partitions.ts'
import { followMovedCoordinator } from './moved-coordinator.ts'
import { sleepWhilePaused } from './paused-sleep.ts'
import { encodeProducesAtOnce } from './produce-encoder.ts'
import { steadyHeartbeats } from './steady-heartbeats.ts'
import { stopDuringFetch } from './stop-behind-fetch.ts'
import { reportOutOfRange } from './truncated-logs.ts'
import { dropUnresponsiveBrokers } from './unresponsive-broker.ts'

/**
 * Applies patches for faults of kafkajs 2.2.4 to every client of the process. Call it before
 * anything connects. Further calls have no effect.
 */
export function applyPatches(): void {
  applyProducerPatches()
  steadyHeartbeats()
  commitsOfOneMembership()
  followMovedCoordinator()
  goOnWithoutLeaders()
  fetchInOnePass()
  backOffIdleTopics()
  joinWhileWorking()
  reportOutOfRange()
  sleepWhilePaused()
  stopDuringFetch()
}

/**
 * Applies the patches that a process needs which only produces. kafkajs wakes up every millisecond
 * while idle, stays connected to unresponsive brokers, and encodes slowly.
 */
export function applyProducerPatches(): void {
  stopIdleTimers()
  dropUnresponsiveBrokers()
  encodeProducesAtOnce()
}
