import {
  changesTopic,
  subscriptionsTopic,
  type TopicSpec,
  topicTable,
} from '@surehook/contracts/topics'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import {
  judgeMissing,
  judgeReplicas,
  type PartitionState,
} from '@surehook/diagnosis/kafka/judge-topics'
import { type Admin, ConfigResourceTypes } from '@surehook/kafka/client/surface'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'
import { differing } from '@surehook/kafka/topics/align-topics'
import { type Durability, durabilityOf, safeCopies } from '../../durability.ts'
import type { Target } from '../../target.ts'
import { withKafka } from '../../with-kafka.ts'

const { ok, warn, wrong } = findingsOf('topics')

export type TopicState = {
  partitions: readonly PartitionState[]
  config: Readonly<Record<string, string>>
}

const make = 'Run `surehook prepare topics`.'
const setCopies = 'Set min.insync.replicas of the topic with kafka-configs.sh: 2 of 3 copies.'

export async function checkTopics(target: Target): Promise<Finding[]> {
  return withKafka(target, async (admin, read) => {
    const specs = topicTable(retryTopicNames(read))
    const states = await readTopics(admin, specs)
    // The wanted number of partitions of a local system is unknown. All topics must at least have
    // the same number.
    const isKnown = target.services.length > 0 || target.env['KAFKA_PARTITIONS']
    const partitions = isKnown ? read.KAFKA_PARTITIONS : null
    return judgeTopics(specs, states, {
      partitions,
      copies: read.KAFKA_REPLICATION_FACTOR,
      durability: durabilityOf(target),
    })
  })
}

async function readTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<ReadonlyMap<string, TopicState>> {
  const existing = new Set(await admin.listTopics())
  const names = specs.map(({ name }) => name).filter((name) => existing.has(name))
  if (names.length === 0) return new Map()
  const { topics } = await admin.fetchTopicMetadata({ topics: names })
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
  })
  const configs = new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map((entry) => [entry.configName, entry.configValue])),
    ]),
  )
  return new Map(
    topics.map(({ name, partitions }) => [name, { partitions, config: configs.get(name) ?? {} }]),
  )
}

type TopicRequirements = { partitions: number | null; copies: number; durability: Durability }

/** Compares every topic with the contract. */
export function judgeTopics(
  specs: readonly TopicSpec[],
  states: ReadonlyMap<string, TopicState>,
  wanted: TopicRequirements,
): Finding[] {
  const missing = specs.filter(({ name }) => !states.has(name)).map(({ name }) => name)
  const findings = specs.flatMap((spec) => {
    const state = states.get(spec.name)
    return state === undefined ? [] : judgeTopic(spec, state, wanted)
  })
  return [
    ...judgeMissing(missing),
    ...findings,
    ...judgeTogether(specs, states),
    ...judgeDurability(specs, states, wanted.durability),
    ...(missing.length === 0 && findings.every(({ level }) => level === 'ok')
      ? [ok(`${specs.length} topics, as the contract says`)]
      : []),
  ]
}

function judgeTopic(spec: TopicSpec, state: TopicState, wanted: TopicRequirements): Finding[] {
  return [
    ...judgeConfig(spec, state),
    ...judgePartitions(spec, state, wanted),
    ...judgeCopies(spec.name, state, wanted),
  ]
}

/** A longer retention than the contract's is the operator's choice and not a fault. */
function judgeConfig({ name, config }: TopicSpec, state: TopicState): Finding[] {
  const changed = differing(config, new Map(Object.entries(state.config)))
  return Object.entries(changed).map(([key, value]) =>
    wrong(`${name}: ${key} is ${state.config[key] ?? 'not told'} and should be ${value}`, make),
  )
}

function judgePartitions(
  { name, partitions: kind }: TopicSpec,
  { partitions }: TopicState,
  wanted: TopicRequirements,
): Finding[] {
  const count = partitions.length
  const expected = kind === 'one' ? 1 : (wanted.partitions ?? count)
  return [...judgeCount(name, { count, expected, kind }), ...judgeReplicas(name, partitions)]
}

type PartitionCount = { count: number; expected: number; kind: TopicSpec['partitions'] }

function judgeCount(name: string, { count, expected, kind }: PartitionCount): Finding[] {
  if (count === expected) return []
  const says = `${name}: ${count} partitions where ${expected} are asked for`
  if (kind === 'one')
    return [wrong(says, 'Its states have no order: restore it with one partition.')]
  // Services start, and only new topics would get the smaller number.
  if (count > expected) return [warn(says, `Set KAFKA_PARTITIONS=${count} for all services.`)]
  return [
    wrong(says, `Run \`surehook admin partitions ${expected}\`: no service starts before it.`),
  ]
}

function judgeCopies(
  name: string,
  { partitions, config }: TopicState,
  wanted: TopicRequirements,
): Finding[] {
  const copies = Math.min(...partitions.map(({ replicas }) => replicas.length))
  const least = Number(config['min.insync.replicas'] ?? 1)
  if (least > copies) {
    return [
      wrong(
        `${name}: min.insync.replicas is ${least} of ${copies} copies: nothing can be written`,
        setCopies,
      ),
    ]
  }
  if (copies >= 3 && least < 2) {
    return [
      wrong(
        `${name}: min.insync.replicas is ${least} of ${copies} copies: one broker's disk may ` +
          'take what was acknowledged',
        setCopies,
      ),
    ]
  }
  if (copies < wanted.copies) {
    return [
      warn(
        `${name}: ${copies} copies where KAFKA_REPLICATION_FACTOR asks for ${wanted.copies}`,
        'Add copies with kafka-reassign-partitions.sh.',
      ),
    ]
  }
  return []
}

/** Reports one finding for all topics, because a cluster usually lacks copies of all of them. */
function judgeDurability(
  specs: readonly TopicSpec[],
  states: ReadonlyMap<string, TopicState>,
  durability: Durability,
): Finding[] {
  const few = specs.filter(({ name }) =>
    states.get(name)?.partitions.some(({ replicas }) => replicas.length < safeCopies),
  )
  if (few.length === 0 || durability === 'local') return []
  const judge = durability === 'waived' ? warn : wrong
  const shown = few.slice(0, 3).map(({ name }) => name)
  const more = few.length > shown.length ? ` and ${few.length - shown.length} more` : ''
  return [
    judge(
      `fewer than ${safeCopies} copies of ${shown.join(', ')}${more}: a broker's disk or a power ` +
        'cut may take what was acknowledged',
      'Set KAFKA_REPLICATION_FACTOR=3, add copies with kafka-reassign-partitions.sh, and set ' +
        'min.insync.replicas to 2.',
    ),
  ]
}

/** Checks settings that several topics must share. */
function judgeTogether(
  specs: readonly TopicSpec[],
  states: ReadonlyMap<string, TopicState>,
): Finding[] {
  const counts = new Map<number, string[]>()
  for (const { name, partitions } of specs) {
    const count = states.get(name)?.partitions.length
    if (partitions === 'main' && count !== undefined)
      counts.set(count, [...(counts.get(count) ?? []), name])
  }
  const differ = [...counts].map(([count, names]) => `${count}: ${names.join(', ')}`)
  const kept = Number(states.get(changesTopic)?.config['retention.ms'] ?? 0)
  const ends = Number(states.get(subscriptionsTopic)?.config['delete.retention.ms'] ?? Number.NaN)
  return [
    ...(differ.length > 1
      ? [
          wrong(
            `topics of the same kind have different numbers of partitions (${differ.join('; ')})`,
            'Adding partitions was interrupted: run `surehook admin partitions` with the largest number again.',
          ),
        ]
      : []),
    ...(ends < kept
      ? [
          wrong(
            `${subscriptionsTopic}: deletions are kept for ${ends} ms, and changes for ${kept} ms`,
            'Set delete.retention.ms to what changes are kept.',
          ),
        ]
      : []),
  ]
}
