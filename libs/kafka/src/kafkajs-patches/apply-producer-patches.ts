import { stopIdleTimers } from './connections/idle-timer.ts'
import { dropUnresponsiveBrokers } from './connections/unresponsive-broker.ts'
import { encodeProducesAtOnce } from './wire/produce-encoder.ts'

/**
 * Applies the patches that a process needs which only produces. kafkajs wakes up every millisecond
 * while idle, stays connected to unresponsive brokers, and encodes slowly.
 */
export function applyProducerPatches(): void {
  stopIdleTimers()
  dropUnresponsiveBrokers()
  encodeProducesAtOnce()
}
