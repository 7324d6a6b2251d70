import { describe, expect, test } from '@jest/globals'
import { invalidTopic, topicTable } from '../topics.ts'
import {
  type KafkaOperation,
  type KafkaUser,
  kafkaAclsOf,
  kafkaUsers,
  lastingGroups,
} from './kafka-access.ts'

const topics = topicTable(['1s', '5s']).map(({ name }) => name)
const services = kafkaUsers.filter((user) => user !== 'operator' && user !== 'lag-reader')

function may(user: KafkaUser, operation: KafkaOperation, topic: string): boolean {
  return kafkaAclsOf(user).some(({ resource, operations }) => {
    if (resource.type !== 'topic' || !operations.includes(operation)) return false
    if (resource.pattern === 'literal') return resource.name === topic
    return topic.startsWith(resource.name)
  })
}

const who = (operation: KafkaOperation, topic: string) =>
  services.filter((user) => may(user, operation, topic))

describe('the access table', () => {
  test.each(topics)('%s is seen by every user and written by a service', (topic) => {
    expect(kafkaUsers.filter((user) => !may(user, 'Describe', topic))).toEqual([])
    expect(who('Write', topic)).not.toEqual([])
  })

  test('only the operator makes topics', () => {
    for (const topic of topics) {
      expect(kafkaUsers.filter((user) => may(user, 'Create', topic))).toEqual(['operator'])
    }
  })

  test('a user that relays or refuses messages of a topic may write to its invalid topic', () => {
    expect(who('Write', invalidTopic('changes'))).toEqual([
      'auth-service',
      'data-api',
      'postgres-source',
      'webhook-api',
      'webhook-matcher',
    ])
    expect(who('Write', invalidTopic('webhook.deliveries.retry.1s'))).toEqual([
      'webhook-api',
      'webhook-dispatcher',
    ])
  })

  test('management tokens and revocations come from auth-service alone', () => {
    for (const topic of ['platform.management-tokens', 'platform.environments', 'auth.revocations'])
      expect(who('Write', topic)).toEqual(['auth-service'])
  })

  test('only the three webhook services read delivery bodies', () => {
    for (const topic of topics.filter((name) => name.startsWith('webhook.deliveries'))) {
      expect(who('Read', topic)).not.toContain('auth-service')
      expect(who('Read', topic)).not.toContain('data-api')
      expect(may('lag-reader', 'Read', topic)).toBe(false)
    }
  })

  test('the topic of an earlier configured delay can still be read and trimmed', () => {
    const earlier = 'webhook.deliveries.retry.17m'
    expect(who('Read', earlier)).toEqual(['webhook-api', 'webhook-dispatcher'])
    expect(who('Delete', earlier)).toEqual(['webhook-api'])
  })

  test.each(Object.entries(lastingGroups))('group %s may read its topics', (name, groupTopics) => {
    const user = name as KafkaUser
    for (const topic of groupTopics) expect(may(user, 'Read', topic)).toBe(true)
    const ofGroup = kafkaAclsOf(user).filter(({ resource }) => resource.type === 'group')
    expect(ofGroup).toContainEqual({
      resource: { type: 'group', name, pattern: 'prefix' },
      operations: ['Read'],
    })
  })

  test('no user reaches topics of other applications', () => {
    for (const topic of ['changes-of-others', 'webhooks', 'auth-log', 'platformer', '_schemas']) {
      const reached = kafkaUsers.filter((user) => may(user, 'Describe', topic))
      expect(reached).toEqual([])
    }
  })

  test('a user has one entry per resource', () => {
    for (const user of kafkaUsers.filter((name) => name !== 'operator')) {
      const keys = kafkaAclsOf(user)
        .filter(({ operations }) => !operations.includes('Describe'))
        .map(({ resource }) => JSON.stringify(resource))
      expect(new Set(keys).size).toBe(keys.length)
    }
  })
})
