import {
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
  subscriptionsTopic,
  tablesTopic,
} from './topics.ts'

/** Who connects to Kafka. The gateway does not. */
export const kafkaUsers = [
  'auth-service',
  'data-api',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  /** The operators' command: makes the topics, looks at lags, compares a restored database with the topics. */
  'operator',
  /** What scales by the lag of consumers: sees how far everybody is, and no record. */
  'lag-reader',
] as const

export type KafkaUser = (typeof kafkaUsers)[number]

/** As Kafka names them in its ACLs, and Strimzi in a `KafkaUser`. */
export type KafkaOperation =
  | 'Read'
  | 'Write'
  | 'Describe'
  | 'Create'
  | 'Delete'
  | 'DescribeConfigs'
  | 'AlterConfigs'

export type KafkaResource =
  | { type: 'topic' | 'group'; name: string; pattern: 'literal' | 'prefix' }
  | { type: 'cluster' }

/** Everything that is not allowed here is denied. */
export type KafkaAcl = { resource: KafkaResource; operations: readonly KafkaOperation[] }

/** What a user does with its topics. Retry topics are those of every delay, also of earlier settings. */
type Access = {
  reads: readonly string[]
  writes: readonly string[]
  /** Deletes records that are older than the history. */
  trims?: readonly string[]
  /** Reads a topic's configuration. */
  looksInto?: readonly string[]
  /** Has consumer groups: those whose names begin with the service's name. */
  consumes?: boolean
  /** Asks how far these groups are. */
  follows?: readonly string[]
  /** Asks brokers for `offsets.retention.minutes`. */
  asksBrokers?: boolean
}

const retryTopics = retryTopic('')
const jobTopics = [deliveriesTopic, retryTopics, pausedTopic]
const invalid = (...topics: string[]) => [...new Set(topics.map(invalidTopic))]

/**
 * The main consumer group of each service that has one, with its topics. KEDA scales by its lag and
 * `surehook doctor` checks it. Another group that commits is called `<service>.<purpose>`: nobody
 * but its service sees it.
 */
export const lastingGroups = {
  'webhook-api': [deliveriesTopic, attemptsTopic],
  'webhook-matcher': [changesTopic],
  'webhook-dispatcher': jobTopics,
} as const satisfies Partial<Record<KafkaUser, readonly string[]>>

const access: Record<Exclude<KafkaUser, 'operator' | 'lag-reader'>, Access> = {
  'auth-service': {
    reads: [environmentPurgesTopic],
    writes: [
      environmentsTopic,
      environmentPurgesTopic,
      managementTokensTopic,
      revocationsTopic,
      changesTopic,
      ...invalid(environmentsTopic, managementTokensTopic, changesTopic),
    ],
    consumes: true,
  },
  'data-api': {
    reads: [environmentsTopic, managementTokensTopic, revocationsTopic],
    writes: [
      changesTopic,
      tablesTopic,
      environmentPurgesTopic,
      ...invalid(changesTopic, tablesTopic),
    ],
    consumes: true,
  },
  'webhook-api': {
    reads: [
      environmentsTopic,
      managementTokensTopic,
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
      ...invalid(subscriptionsTopic, deliveriesTopic, attemptsTopic, changesTopic),
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
    asksBrokers: true,
  },
  'webhook-dispatcher': {
    reads: [subscriptionsTopic, ...jobTopics],
    writes: [...jobTopics, deadLetterTopic, attemptsTopic, ...invalid(deliveriesTopic)],
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

/** Names under which all topics of the platform are found, and no topic of anybody else. */
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
 * All that `user` may do. Every service sees which topics there are, since it starts only when all
 * are; none but the operator makes one.
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
  // A restored database is compared with these topics.
  const compared = [
    changesTopic,
    environmentsTopic,
    managementTokensTopic,
    tablesTopic,
    subscriptionsTopic,
  ]
  return [
    ...onEveryTopic('Create', 'Describe', 'DescribeConfigs', 'AlterConfigs'),
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
