/**
 * What other packages see of the Kafka client. They know these types and no others, so another
 * client changes this package only. The names and fields are those of kafkajs.
 */

/** A client of one cluster, made by `createKafka`. */
export type Kafka = {
  admin(options?: { retry?: { retries: number } }): Admin
}

export type MessageHeaders = Readonly<
  Record<string, Buffer | string | (Buffer | string)[] | undefined>
>

export type KafkaMessage = {
  key: Buffer | null
  value: Buffer | null
  /** Epoch milliseconds. */
  timestamp: string
  offset: string
  attributes: number
  headers?: MessageHeaders
}

export type SeekEntry = { partition: number; offset: string }

export type Admin = {
  connect(): Promise<void>
  disconnect(): Promise<void>
  describeCluster(): Promise<{ brokers: { nodeId: number; host: string; port: number }[] }>
  listTopics(): Promise<string[]>
  createTopics(of: { topics: NewTopic[]; waitForLeaders?: boolean }): Promise<boolean>
  /** Adds partitions until the topic has `count`. */
  createPartitions(of: { topicPartitions: { topic: string; count: number }[] }): Promise<boolean>
  deleteTopics(of: { topics: string[] }): Promise<void>
  fetchTopicMetadata(of?: { topics: string[] }): Promise<{ topics: TopicPartitions[] }>
  alterPartitionReassignments(of: {
    topics: {
      topic: string
      partitionAssignment: { partition: number; replicas: number[] }[]
    }[]
  }): Promise<void>
  fetchTopicOffsets(topic: string): Promise<(SeekEntry & { high: string; low: string })[]>
  /** The first offsets at or after the time, in epoch milliseconds. */
  fetchTopicOffsetsByTimestamp(topic: string, timestamp?: number): Promise<SeekEntry[]>
  /** Deletes the records below the offsets. */
  deleteTopicRecords(of: { topic: string; partitions: SeekEntry[] }): Promise<void>
  describeGroups(groupIds: string[]): Promise<{ groups: Group[] }>
  /** -1: the group has no commit. */
  fetchOffsets(of: {
    groupId: string
    topics?: string[]
  }): Promise<{ topic: string; partitions: (SeekEntry & { metadata: string | null })[] }[]>
  setOffsets(of: { groupId: string; topic: string; partitions: SeekEntry[] }): Promise<void>
  describeConfigs(of: {
    resources: (ConfigResource & { configNames?: string[] })[]
    includeSynonyms: boolean
  }): Promise<{ resources: { resourceName: string; configEntries: ConfigInForce[] }[] }>
  alterConfigs(of: {
    resources: (ConfigResource & { configEntries: ConfigEntry[] })[]
    validateOnly: boolean
  }): Promise<unknown>
  createAcls(of: { acl: AclEntry[] }): Promise<boolean>
}

export type ConfigEntry = { name: string; value: string }

export type NewTopic = {
  topic: string
  numPartitions?: number
  replicationFactor?: number
  replicaAssignment?: { partition: number; replicas: number[] }[]
  configEntries?: ConfigEntry[]
}

type TopicPartitions = {
  name: string
  partitions: {
    partitionId: number
    partitionErrorCode: number
    leader: number
    replicas: number[]
    isr: number[]
  }[]
}

type Group = {
  groupId: string
  /** Such as `Stable`, `Empty` or `Dead`. */
  state: string
  protocol: string
  members: { memberId: string; clientId: string; memberAssignment: Buffer }[]
}

type ConfigResource = { type: number; name: string }

type ConfigInForce = { configName: string; configValue: string; configSource: number }

export type AclEntry = {
  principal: string
  host: string
  operation: number
  permissionType: number
  resourceType: number
  resourceName: string
  resourcePatternType: number
}

// Numbers of the Kafka protocol.
export const ConfigResourceTypes = { TOPIC: 2, BROKER: 4 } as const
export const AclResourceTypes = { TOPIC: 2, GROUP: 3, CLUSTER: 4 } as const
export const AclPermissionTypes = { ALLOW: 3 } as const
export const ResourcePatternTypes = { LITERAL: 3, PREFIXED: 4 } as const
export const AclOperationTypes = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
} as const
