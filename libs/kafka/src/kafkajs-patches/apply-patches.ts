import { applyProducerPatches } from './apply-producer-patches.ts'
import { goOnWithoutLeaders } from './connections/leaderless-partitions.ts'
import { rememberEmptyFetches } from './fetching/empty-fetches.ts'
import { fetchFromSources } from './fetching/fetch-sources.ts'
import { backOffIdleTopics } from './fetching/idle-topic-backoff.ts'
import { sleepWhilePaused } from './fetching/paused-sleep.ts'
import { stopDuringFetch } from './fetching/stop-behind-fetch.ts'
import { reportOutOfRange } from './fetching/truncated-logs.ts'
import { fenceGenerations } from './membership/generation-fencing.ts'
import { joinWhileWorking } from './membership/join-while-working.ts'
import { followMovedCoordinator } from './membership/moved-coordinator.ts'
import { steadyHeartbeats } from './membership/steady-heartbeats.ts'

/**
 * Applies patches for faults of kafkajs 2.2.4 to every client of the process. Call it before
 * anything connects. Further calls have no effect.
 */
export function applyPatches(): void {
  applyProducerPatches()
  steadyHeartbeats()
  fenceGenerations()
  followMovedCoordinator()
  goOnWithoutLeaders()
  rememberEmptyFetches()
  backOffIdleTopics()
  fetchFromSources()
  joinWhileWorking()
  reportOutOfRange()
  sleepWhilePaused()
  stopDuringFetch()
}
