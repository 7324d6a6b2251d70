import { calmRequestQueues } from './calm-request-queue.ts'
import { encodeProducesAtOnce } from './lean-produce.ts'
import { leaveSilentBrokers } from './silent-broker.ts'

/**
 * Mends three faults of kafkajs 2.2.4 for the whole process, every client of the library in it included: it looks for
 * requests every millisecond while idle, stays connected to brokers that answer nothing, and encodes slowly.
 * To be called once, before anything connects.
 */
export function applyKafkajsPatches(): void {
  calmRequestQueues()
  leaveSilentBrokers()
  encodeProducesAtOnce()
}
