import {
  type KafkaAcl,
  type KafkaResource,
  type KafkaUser,
  kafkaAclsOf,
  kafkaUsers,
} from '@surehook/contracts/access/kafka-access'
import { topicTable } from '@surehook/contracts/topics'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'

/** Options of the manifests of topics and users for Strimzi's operators. */
export type StrimziOptions = {
  /** The name of the `Kafka` resource of the manifests. */
  cluster: string
  /**
   * The partitions of the topics of changes and deliveries; must equal the services'
   * KAFKA_PARTITIONS.
   */
  partitions: number
  replicas: number
  /** The delays that have a topic. */
  retryLadder: readonly string[]
  usernamePrefix: string
  /** How users authenticate. */
  authentication: 'scram-sha-512' | 'tls'
}

export const defaultOptions: StrimziOptions = {
  cluster: 'kafka',
  partitions: 24,
  replicas: 3,
  retryLadder: retryTopicNames({ WEBHOOK_RETRY_DELAYS: [] }),
  usernamePrefix: 'surehook-',
  authentication: 'scram-sha-512',
}

export type Manifest = {
  apiVersion: 'kafka.strimzi.io/v1'
  kind: 'KafkaTopic' | 'KafkaUser'
  metadata: { name: string; labels: Record<string, string> }
  spec: object
}

export function strimziTopics(options: StrimziOptions): Manifest[] {
  return topicTable(options.retryLadder).map(({ name, partitions, config }) => ({
    ...head('KafkaTopic', name, options),
    spec: {
      partitions: partitions === 'main' ? options.partitions : 1,
      replicas: options.replicas,
      // With three copies, an acknowledged record must survive the loss of one.
      config: { ...(options.replicas >= 3 && { 'min.insync.replicas': '2' }), ...config },
    },
  }))
}

export function strimziUsers(options: StrimziOptions): Manifest[] {
  return kafkaUsers.map((user: KafkaUser) => ({
    ...head('KafkaUser', `${options.usernamePrefix}${user}`, options),
    spec: {
      authentication: { type: options.authentication },
      authorization: { type: 'simple', acls: kafkaAclsOf(user).map(aclOf) },
    },
  }))
}

function head(kind: Manifest['kind'], name: string, { cluster }: StrimziOptions) {
  const labels = { 'strimzi.io/cluster': cluster, 'app.kubernetes.io/part-of': 'surehook' }
  return { apiVersion: 'kafka.strimzi.io/v1' as const, kind, metadata: { name, labels } }
}

const aclOf = ({ resource, operations }: KafkaAcl) => ({
  resource: resourceOf(resource),
  operations: [...operations],
  host: '*',
})

function resourceOf(resource: KafkaResource) {
  if (resource.type === 'cluster') return { type: 'cluster' }
  const { type, name, pattern } = resource
  return { type, name, patternType: pattern }
}
