import {
  type KafkaAcl,
  type KafkaUser,
  kafkaAclsOf,
  kafkaUsers,
} from '@surehook/contracts/kafka-access'
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
  Delete: AclOperationTypes.DELETE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
} as const

/** The only name that a cluster has to Kafka. */
const clusterName = 'kafka-cluster'

/** How a user is called by Kafka: `User:surehook-{user}` for users whose names have a prefix. */
export const defaultPrincipal = 'User:{user}'

export const principalOf = (pattern: string, user: KafkaUser): string =>
  pattern.replaceAll('{user}', user)

/**
 * Allows every user what the table says, and takes nothing away. Safe to repeat. `kafka` is an administrator's.
 * @returns how many ACLs each principal has of it
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

/** The same as calls of Kafka's own tool, for whoever may not or will not let ours do it. */
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
