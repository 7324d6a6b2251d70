/**
 * What other packages take from the Kafka client. None of them imports kafkajs, except the publisher
 * and tests that use it as an independent client. The README says what another client needs.
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
