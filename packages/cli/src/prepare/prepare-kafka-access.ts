import {
  type KafkaAcl,
  type KafkaUser,
  kafkaAclsOf,
  kafkaUsers,
} from '@surehook/contracts/access/kafka-access'
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Kafka,
  ResourcePatternTypes,
} from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'

const resourceTypes = {
  topic: AclResourceTypes.TOPIC,
  group: AclResourceTypes.GROUP,
  cluster: AclResourceTypes.CLUSTER,
} as const
const patternTypes = {
  literal: ResourcePatternTypes.LITERAL,
  prefix: ResourcePatternTypes.PREFIXED,
} as const
const operationTypes = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Describe: AclOperationTypes.DESCRIBE,
  Create: AclOperationTypes.CREATE,
  Alter: AclOperationTypes.ALTER,
  Delete: AclOperationTypes.DELETE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
} as const

/** Kafka has exactly one resource name for a cluster. */
const clusterName = 'kafka-cluster'

/** Principal of a user in Kafka. `User:surehook-{user}` is for users whose names have a prefix. */
export const defaultPrincipal = 'User:{user}'

export const principalOf = (pattern: string, user: KafkaUser): string =>
  pattern.replaceAll('{user}', user)

/**
 * Creates the ACLs of every user and deletes none. It can be repeated. `kafka` must have an
 * administrator's rights.
 * @returns the number of ACLs of each principal
 */
export async function prepareKafkaAccess(
  kafka: Kafka,
  principal: string = defaultPrincipal,
): Promise<Record<string, number>> {
  const entries = kafkaUsers.map((user) => entriesOf(user, principalOf(principal, user)))
  await withAdmin(kafka, (admin) => admin.createAcls({ acl: entries.flat() }))
  return Object.fromEntries(
    kafkaUsers.map((user, at) => [principalOf(principal, user), entries[at]?.length ?? 0]),
  )
}

function entriesOf(user: KafkaUser, principal: string): AclEntry[] {
  return kafkaAclsOf(user).flatMap(({ resource, operations }) =>
    operations.map((operation) => ({
      principal,
      host: '*',
      resourceType: resourceTypes[resource.type],
      resourceName: resource.type === 'cluster' ? clusterName : resource.name,
      resourcePatternType: patternTypes[resource.type === 'cluster' ? 'literal' : resource.pattern],
      operation: operationTypes[operation],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  )
}

/** The same ACLs as commands of Kafka's own tool, for operators who run that instead. */
export function kafkaAclCommands(principal: string = defaultPrincipal): string[] {
  return kafkaUsers.flatMap((user) =>
    kafkaAclsOf(user).map((acl) => commandOf(principalOf(principal, user), acl)),
  )
}

function commandOf(principal: string, { resource, operations }: KafkaAcl): string {
  const allowed = operations.map((operation) => `--operation ${operation}`)
  const on =
    resource.type === 'cluster'
      ? ['--cluster']
      : [
          `--${resource.type} '${resource.name}'`,
          ...(resource.pattern === 'prefix' ? ['--resource-pattern-type prefixed'] : []),
        ]
  const server = '--bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties'
  return [
    'kafka-acls.sh',
    server,
    `--add --allow-principal '${principal}'`,
    ...allowed,
    ...on,
  ].join(' ')
}
