import { relayLimits } from '@surehook/change-capture/relay/relay-queue'
import type { ChangeEvent } from '@surehook/contracts/events'
import { httpSource } from '@surehook/contracts/events/new-change'
import {
  changesTopic,
  environmentsTopic,
  managementTokensTopic,
  subscriptionsTopic,
  tablesTopic,
} from '@surehook/contracts/topics'
import { walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { EventCodec } from '@surehook/schemas/codec'
import type { ServiceName } from '../lib/service-catalog.ts'

/**
 * Most records that a relay sends ahead of its oldest unacknowledged one. All earlier records are
 * on Kafka.
 */
const underWay = relayLimits.records

const serviceByTopic: Readonly<Record<string, ServiceName>> = {
  [environmentsTopic]: 'auth-service',
  [managementTokensTopic]: 'auth-service',
  [tablesTopic]: 'data-api',
  [subscriptionsTopic]: 'webhook-api',
}

export const relayedTopics: readonly string[] = [changesTopic, ...Object.keys(serviceByTopic)]

export type RelayedPositions = {
  take(topic: string, messages: readonly KafkaMessage[]): Promise<void>
  /** Position up to which all commits of the service are on its topics, or `null` if unknown. */
  relayedOf(service: ServiceName): bigint | null
}

/** @param systemId id of the cluster: positions of other clusters are ignored */
export function readRelayedPositions(
  codec: Pick<EventCodec, 'change'>,
  systemId: string,
): RelayedPositions {
  const positions = new Map<string, bigint[]>()
  return {
    async take(topic, messages) {
      for (const { value, headers } of messages) {
        const [system, , lsn] = walPositionOf(headers)?.split('/') ?? []
        if (system !== systemId || lsn === undefined || value === null) continue
        const service = serviceByTopic[topic] ?? relayOf(await codec.change.decode(value))
        const known = positions.get(service) ?? []
        known.push(BigInt(`0x${lsn}`))
        positions.set(service, known.length > 4 * underWay ? newest(known) : known)
      }
    },
    relayedOf(service) {
      const known = newest(positions.get(service) ?? [])
      return known.length < underWay ? null : (known[0] ?? null)
    },
  }
}

/** data-api relays its own changes, and those that services publish to it. */
const relayOf = ({ source }: ChangeEvent) => (source === httpSource ? 'data-api' : source)

/** Returns the highest positions in ascending order. */
function newest(positions: readonly bigint[]): bigint[] {
  return positions.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).slice(-underWay)
}
