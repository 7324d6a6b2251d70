import { createKafka } from '@surehook/kafka/client/client'
import { freePort } from '@surehook/scripts/lib/ports'
import type { ProcessHandle } from '@surehook/scripts/lib/processes/managed-process'
import { settleAll } from '@surehook/scripts/lib/settle-all'
import { type LocalStack, startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { askKafka } from '../../support/ask-kafka.ts'

/** A stack with three Kafka brokers. */
export type ClusteredStack = Stack & {
  readonly nodes: readonly ProcessHandle[]
  /** Returns the leader of the partition; -1 if it has none. */
  leaderOf(topic: string, partition: number): Promise<number>
  /** Returns, for each partition of the topic, the nodes with a complete copy. */
  copiesOf(topic: string): Promise<number[][]>
  /** Returns, for each partition, the nodes with a complete copy. */
  inSync(): Promise<number[][]>
  /**
   * Waits until every partition has all its copies. An operator does this before the next restart.
   */
  untilInSync(): Promise<void>
}

const places = [0, 1, 2]

/** @param controllers how many of the brokers, from the first one, are also controllers */
export async function openKafkaCluster(
  dir: string,
  controllers = places.length,
): Promise<ClusteredStack> {
  await using opening = new AsyncDisposableStack()
  const open = async (options: Parameters<typeof startLocalStack>[0]): Promise<LocalStack> => {
    const stack = await startLocalStack(options)
    opening.defer(() => stack.stop())
    return stack
  }
  const controllerPorts: number[] = []
  for (let n = 0; n < controllers; n++) controllerPorts.push(await freePort())
  // Started in parallel, because no broker is ready before a second one runs.
  const starting = places.map((place) =>
    open({
      dir: `${dir}/kafka-${place + 1}`,
      only: ['kafka'],
      kafkaNode: { place, controllerPorts },
    }),
  )
  const startingOthers = open({ dir: `${dir}/others`, only: ['registry', 'postgres', 'redis'] })
  await settleAll([startingOthers, ...starting])
  const others = await startingOthers
  const brokers = await Promise.all(starting)
  const addresses = brokers.map(({ kafkaBrokers }) => kafkaBrokers)
  const log = createLogger('cluster', 'silent')
  const kafka = createKafka({ brokers: addresses, clientId: 'cluster', log })
  const partitionsOf = async (topics?: string[]) => {
    const answer = await askKafka(kafka, (admin) => admin.fetchTopicMetadata(topics && { topics }))
    return answer.topics.flatMap((topic) => topic.partitions)
  }
  const inSync = async () => (await partitionsOf()).map(({ isr }) => isr)
  const resources = opening.move()
  return {
    ...others,
    kafkaBrokers: addresses.join(','),
    nodes: brokers.map(processOf),
    async leaderOf(topic, partition) {
      const partitions = await partitionsOf([topic])
      return partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1
    },
    async copiesOf(topic) {
      const partitions = await partitionsOf([topic])
      return partitions
        .toSorted((a, b) => a.partitionId - b.partitionId)
        .map(({ replicas, isr }) => replicas.filter((node) => isr.includes(node)))
    },
    inSync,
    async untilInSync() {
      const isInSync = async () => (await inSync()).every((nodes) => nodes.length === places.length)
      await until(isInSync, { what: 'all copies of all partitions', timeoutMs: 90_000 })
    },
    stop: () => resources.disposeAsync(),
  }
}

function processOf({ processes }: LocalStack): ProcessHandle {
  if (processes.kafka === undefined) throw new Error('Kafka does not run')
  return processes.kafka
}
