import { describe, expect, it } from '@jest/globals'
import { topicTable } from '@surehook/contracts/topics'
import type { Finding } from '@surehook/diagnosis/finding'
import { judgeExpiry } from './checks/check-certificates.ts'
import { judgeClock } from './checks/check-clocks.ts'
import { faultsIn } from './checks/check-configuration.ts'
import { judgeSpace } from './checks/check-disk.ts'
import { judgeBroker, judgeCluster } from './checks/kafka/check-kafka.ts'
import { judgeTopics, type TopicState } from './checks/kafka/check-topics.ts'
import { durabilityOf } from './durability.ts'

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level)
const faults = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, says }) => `${level}: ${says}`)

describe('a finding that is not ok', () => {
  it('always has advice', () => {
    const findings = [
      ...judgeTopics(specs, statesWith(), { partitions: 3, copies: 1, durability: 'demanded' }),
      ...judgeCluster(1, 'demanded'),
    ].filter(({ level }) => level === 'wrong' || level === 'warn')
    expect(findings.length).toBeGreaterThan(2)
    for (const { advice } of findings) expect(advice).toMatch(/^[A-Z].+\.$/)
  })
})

const specs = topicTable(['1s'])
function statesWith(change: Partial<Record<string, Partial<TopicState>>> = {}) {
  return new Map(
    specs.map((spec): [string, TopicState] => {
      const count = spec.partitions === 'one' ? 1 : 4
      const partition = { leader: 1, replicas: [1], isr: [1] }
      const config = { ...spec.config, 'min.insync.replicas': '1' }
      const good = { partitions: Array(count).fill(partition), config }
      return [spec.name, { ...good, ...change[spec.name] }]
    }),
  )
}

describe('judgeTopics', () => {
  const judge = (states: ReadonlyMap<string, TopicState>) =>
    faults(judgeTopics(specs, states, { partitions: 4, copies: 1, durability: 'local' }))
  const attempts = specs.find(({ name }) => name === 'webhook.attempts')
  const changes = specs.find(({ name }) => name === 'changes')
  const one = { leader: 1, replicas: [1], isr: [1] }

  it('accepts topics that match the contract', () => {
    expect(judge(statesWith())).toEqual([])
  })

  it('reports a missing topic', () => {
    const states = statesWith()
    states.delete('webhook.attempts')
    expect(judge(states)).toEqual(['wrong: missing: webhook.attempts'])
  })

  it('names each setting that differs, and accepts a longer retention', () => {
    const config = {
      ...attempts?.config,
      'retention.ms': '1000',
      'message.timestamp.type': 'CreateTime',
    }
    expect(judge(statesWith({ 'webhook.attempts': { config } }))).toEqual([
      'wrong: webhook.attempts: retention.ms is 1000 and should be -1',
      'wrong: webhook.attempts: message.timestamp.type is CreateTime and should be LogAppendTime',
    ])
    const shorter = { ...changes?.config, 'retention.ms': '1000' }
    expect(judge(statesWith({ changes: { config: shorter } }))).toEqual([
      'wrong: changes: retention.ms is 1000 and should be 604800000',
    ])
    const longer = { ...changes?.config, 'retention.ms': '1209600000' }
    expect(judge(statesWith({ changes: { config: longer } }))).toEqual([
      expect.stringContaining('deletions are kept for 604800000 ms'),
    ])
  })

  it('checks partitions, leaders and copies', () => {
    expect(judge(statesWith({ changes: { partitions: [one, one] } }))).toEqual([
      'wrong: changes: 2 partitions where 4 are asked for',
      expect.stringContaining('topics of the same kind have different numbers of partitions'),
    ])
    const added = judge(statesWith({ changes: { partitions: Array(8).fill(one) } }))
    expect(added[0]).toBe('warn: changes: 8 partitions where 4 are asked for')
    const leaderless = [{ ...one, leader: -1 }, one, one, one]
    expect(judge(statesWith({ changes: { partitions: leaderless } }))).toEqual([
      'wrong: changes: 1 partitions have no leader',
    ])
    const three = Array(4).fill({ leader: 1, replicas: [1, 2, 3], isr: [1, 2, 3] })
    expect(judge(statesWith({ changes: { partitions: three } }))).toEqual([
      expect.stringContaining('min.insync.replicas is 1 of 3 copies'),
    ])
    const config = { ...changes?.config, 'min.insync.replicas': '2' }
    expect(judge(statesWith({ changes: { config } }))).toEqual([
      expect.stringContaining('nothing can be written'),
    ])
  })
})

describe('durability', () => {
  it.each([
    [{ isLocal: true, env: {} }, 'local'],
    [{ isLocal: false, env: {} }, 'demanded'],
    [{ isLocal: false, env: { KAFKA_REPLICATION_FACTOR: '' } }, 'demanded'],
    [{ isLocal: false, env: { KAFKA_REPLICATION_FACTOR: '3' } }, 'demanded'],
    [{ isLocal: false, env: { KAFKA_REPLICATION_FACTOR: '1' } }, 'waived'],
  ])('is with %j %s', (target, expected) => {
    expect(durabilityOf(target)).toBe(expected)
  })

  it.each([
    [3, 'demanded', ['ok']],
    [2, 'demanded', ['ok', 'wrong']],
    [1, 'waived', ['ok', 'warn']],
    [1, 'local', ['ok']],
  ] as const)('of %d brokers, %s, is judged %j', (brokers, durability, expected) => {
    expect(levels(judgeCluster(brokers, durability))).toEqual(expected)
  })

  it('is explained for a local system with one broker', () => {
    expect(judgeCluster(1, 'local')[0]?.says).toBe(
      '1 broker reached: what Kafka acknowledged survives a killed process, but not a power cut; production needs 3 brokers',
    )
  })

  it.each([
    ['demanded', ['wrong', 'ok']],
    ['waived', ['warn', 'ok']],
    ['local', ['ok']],
  ] as const)(
    'of topics with one copy, %s, is judged %j in one finding',
    (durability, expected) => {
      const found = judgeTopics(specs, statesWith(), { partitions: 4, copies: 1, durability })
      expect(levels(found)).toEqual(expected)
    },
  )

  it('accepts two written copies of three', () => {
    const three = new Map(
      [...statesWith()].map(([name, { partitions, config }]) => [
        name,
        {
          partitions: partitions.map((one) => ({ ...one, replicas: [1, 2, 3], isr: [1, 2, 3] })),
          config: { ...config, 'min.insync.replicas': '2' },
        },
      ]),
    )
    const wanted = { partitions: 4, copies: 3, durability: 'demanded' } as const
    expect(levels(judgeTopics(specs, three, wanted))).toEqual(['ok'])
  })
})

describe('judgeBroker', () => {
  const good = {
    'offsets.retention.minutes': '5256000',
    'auto.create.topics.enable': 'false',
    'message.max.bytes': '2097152',
  }

  it.each([
    [{}, ['ok']],
    [{ 'offsets.retention.minutes': '10080' }, ['wrong']],
    [{ 'auto.create.topics.enable': 'true' }, ['ok', 'warn']],
    [{ 'message.max.bytes': '1048588' }, ['ok', 'warn']],
  ])('judges %j as %j', (given, expected) => {
    expect(levels(judgeBroker({ broker: 1, settings: { ...good, ...given } }))).toEqual(expected)
  })
})

describe('other judgements', () => {
  it('compares clocks by their smallest possible difference', () => {
    const compare = (theirs: number) =>
      judgeClock({ of: 'PostgreSQL', before: 10_000, theirs, after: 10_100 }).level
    expect([compare(10_050), compare(12_100), compare(12_101), compare(7_999)]).toEqual([
      'ok',
      'ok',
      'wrong',
      'wrong',
    ])
  })

  it('counts the remaining days of a certificate', () => {
    const now = Date.UTC(2026, 0, 1)
    const judge = (days: number) =>
      judgeExpiry('a.pem', new Date(now + days * 86_400_000), { now, warnDays: 30 }).level
    expect([judge(-1), judge(29), judge(31)]).toEqual(['wrong', 'warn', 'ok'])
  })

  it('splits the faults of a configuration', () => {
    expect(faultsIn('Invalid configuration\n  A: is not set\n  B: no')).toEqual([
      'A: is not set',
      'B: no',
    ])
    expect(faultsIn('ENOENT')).toEqual(['ENOENT'])
  })

  it('reports a full disk', () => {
    expect([judgeSpace(1e9).level, judgeSpace(1e12).level]).toEqual(['warn', 'ok'])
  })
})
