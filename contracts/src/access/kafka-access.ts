import {
  alertsTopic,
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  deliveriesTopic,
  environmentPurgesTopic,
  environmentsTopic,
  invalidTopic,
  managementTokensTopic,
  pausedTopic,
  retryTopic,
  revocationsTopic,
  sourceColumnsTopic,
  subscriptionsTopic,
  tablesTopic,
} from '../topics.ts'

/** Clients of Kafka. The gateway does not connect to it. */
export const kafkaUsers = [
  'auth-service',
  'data-api',
  'postgres-source',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  /**
   * CLI of the operators: creates topics, reads lags and compares a restored database with the
   * topics.
   */
  'operator',
  /** The autoscaler. It reads the committed offsets of consumer groups but no records. */
  'lag-reader',
] as const

export type KafkaUser = (typeof kafkaUsers)[number]

/** Operation names as in Kafka's ACLs and in Strimzi's `KafkaUser`. */
export type KafkaOperation =
  | 'Read'
  | 'Write'
  | 'Describe'
  | 'Create'
  | 'Alter'
  | 'Delete'
  | 'DescribeConfigs'
  | 'AlterConfigs'

export type KafkaResource =
  | { type: 'topic' | 'group'; name: string; pattern: 'literal' | 'prefix' }
  | { type: 'cluster' }

/** ACL entries are allowances. Kafka denies everything else. */
export type KafkaAcl = { resource: KafkaResource; operations: readonly KafkaOperation[] }

/**
 * Rights of a user on its topics. A retry topic stands for all delays, including those of earlier
 * settings.
 */
type Access = {
  reads: readonly string[]
  writes: readonly string[]
  /** Topics whose records it deletes once they are older than the retention. */
  trims?: readonly string[]
  /** Topics whose configuration it reads. */
  looksInto?: readonly string[]
  /** True if it has consumer groups. Their names begin with the service's name. */
  consumes?: boolean
  /** Consumer groups whose committed offsets it reads. */
  follows?: readonly string[]
  /** True if it reads `offsets.retention.minutes` from the brokers. */
  asksBrokers?: boolean
}

const retryTopics = retryTopic('')
const jobTopics = [deliveriesTopic, retryTopics, pausedTopic]
const invalid = (...topics: string[]) => [...new Set(topics.map(invalidTopic))]

/**
 * The main consumer group of each service, with its topics. KEDA scales by its lag and `surehook
 * doctor` checks it. Any other group that commits is called `<service>.<purpose>` and is visible
 * only to its service.
 */
export const lastingGroups = {
  'webhook-api': [deliveriesTopic, attemptsTopic],
  'webhook-matcher': [changesTopic],
  'webhook-dispatcher': jobTopics,
} as const satisfies Partial<Record<KafkaUser, readonly string[]>>

const access: Record<Exclude<KafkaUser, 'operator' | 'lag-reader'>, Access> = {
  'auth-service': {
    reads: [environmentPurgesTopic, alertsTopic],
    writes: [
      environmentsTopic,
      environmentPurgesTopic,
      managementTokensTopic,
      revocationsTopic,
      changesTopic,
      ...invalid(environmentsTopic, managementTokensTopic, changesTopic, alertsTopic),
    ],
    consumes: true,
  },
  'data-api': {
    reads: [environmentsTopic, managementTokensTopic, revocationsTopic, sourceColumnsTopic],
    writes: [
      changesTopic,
      tablesTopic,
      environmentPurgesTopic,
      ...invalid(changesTopic, tablesTopic),
    ],
    consumes: true,
  },
  'postgres-source': {
    reads: [environmentsTopic, managementTokensTopic, tablesTopic],
    writes: [changesTopic, sourceColumnsTopic, environmentPurgesTopic, ...invalid(changesTopic)],
    consumes: true,
  },
  'webhook-api': {
    reads: [
      environmentsTopic,
      managementTokensTopic,
      revocationsTopic,
      tablesTopic,
      subscriptionsTopic,
      changesTopic,
      ...jobTopics,
      deadLetterTopic,
      attemptsTopic,
    ],
    writes: [
      subscriptionsTopic,
      deliveriesTopic,
      changesTopic,
      environmentPurgesTopic,
      alertsTopic,
      ...invalid(subscriptionsTopic, deliveriesTopic, attemptsTopic, changesTopic, alertsTopic),
    ],
    trims: [...jobTopics, deadLetterTopic, attemptsTopic],
    looksInto: [changesTopic],
    consumes: true,
    follows: ['webhook-matcher', 'webhook-dispatcher'],
  },
  'webhook-matcher': {
    reads: [subscriptionsTopic, changesTopic],
    writes: [
      deliveriesTopic,
      deadLetterTopic,
      attemptsTopic,
      ...invalid(changesTopic, subscriptionsTopic),
    ],
    consumes: true,
    follows: ['webhook-dispatcher'],
    asksBrokers: true,
  },
  'webhook-dispatcher': {
    reads: [subscriptionsTopic, ...jobTopics],
    writes: [
      ...jobTopics,
      deadLetterTopic,
      attemptsTopic,
      changesTopic,
      ...invalid(deliveriesTopic),
    ],
    consumes: true,
    asksBrokers: true,
  },
}

const topic = (name: string): KafkaResource => ({
  type: 'topic',
  name,
  pattern: name === retryTopics ? 'prefix' : 'literal',
})

const group = (name: string, pattern: 'literal' | 'prefix'): KafkaResource => ({
  type: 'group',
  name,
  pattern,
})

/** Prefixes and names that match every topic of the platform and no other topic. */
const everyTopic: readonly KafkaResource[] = [
  ...['platform.', 'webhook.', 'auth.'].map(
    (name): KafkaResource => ({ type: 'topic', name, pattern: 'prefix' }),
  ),
  topic(changesTopic),
  topic(invalidTopic(changesTopic)),
]

const onEveryTopic = (...operations: KafkaOperation[]): KafkaAcl[] =>
  everyTopic.map((resource) => ({ resource, operations }))

/**
 * Returns the complete ACLs of `user`. Every service may describe all topics, because it starts
 * only when all exist. Only the operator may create one.
 */
export function kafkaAclsOf(user: KafkaUser): readonly KafkaAcl[] {
  if (user === 'operator') return operatorAcls()
  if (user === 'lag-reader') return [...onEveryTopic('Describe'), ...lastingGroupAcls('Describe')]
  const { reads, writes, trims = [], looksInto = [], follows = [], ...does } = access[user]
  const of = (topics: readonly string[], operation: KafkaOperation) =>
    topics.map((name) => ({ name, operation }))
  const wanted = [
    ...of(reads, 'Read'),
    ...of(writes, 'Write'),
    ...of(trims, 'Delete'),
    ...of(looksInto, 'DescribeConfigs'),
  ]
  const byTopic = Map.groupBy(wanted, ({ name }) => name)
  return [
    ...onEveryTopic('Describe'),
    ...[...byTopic].map(([name, rights]) => ({
      resource: topic(name),
      operations: rights.map(({ operation }) => operation),
    })),
    ...(does.consumes ? [{ resource: group(user, 'prefix'), operations: ['Read'] as const }] : []),
    ...follows.map((name) => ({
      resource: group(name, 'literal'),
      operations: ['Describe'] as const,
    })),
    ...(does.asksBrokers
      ? [{ resource: { type: 'cluster' } as const, operations: ['DescribeConfigs'] as const }]
      : []),
  ]
}

function operatorAcls(): readonly KafkaAcl[] {
  // Topics with which `surehook` compares a restored database.
  const compared = [
    changesTopic,
    environmentsTopic,
    managementTokensTopic,
    tablesTopic,
    subscriptionsTopic,
  ]
  return [
    ...onEveryTopic('Create', 'Alter', 'Describe', 'DescribeConfigs', 'AlterConfigs'),
    ...compared.map((name): KafkaAcl => ({ resource: topic(name), operations: ['Read'] })),
    ...lastingGroupAcls('Describe'),
    { resource: group('surehook-operator', 'prefix'), operations: ['Read'] },
    { resource: { type: 'cluster' }, operations: ['Describe', 'DescribeConfigs'] },
  ]
}

function lastingGroupAcls(...operations: KafkaOperation[]): readonly KafkaAcl[] {
  return Object.keys(lastingGroups).map((name) => ({
    resource: group(name, 'literal'),
    operations,
  }))
}
