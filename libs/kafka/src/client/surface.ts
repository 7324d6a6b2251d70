/**
 * The public surface of the Kafka client. To change the client, change this file and its
 * neighbours. No other package imports kafkajs, except the publisher and tests that use it as an
 * independent client.
 */
import kafkajs from 'kafkajs'

export type {
  AclEntry,
  Admin,
  Consumer,
  Kafka,
  KafkaMessage,
  SeekEntry,
} from 'kafkajs'

// Node detects only the first of the names that kafkajs exports.
export const {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  AssignerProtocol,
  ConfigResourceTypes,
  PartitionAssigners,
  ResourcePatternTypes,
} = kafkajs
