import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { kafkaUsers } from '@surehook/contracts/access/kafka-access'
import { topicTable } from '@surehook/contracts/topics'
import { parse, parseAllDocuments } from 'yaml'
import { repoRoot } from '../lib/paths.ts'
import { defaultOptions, strimziTopics, strimziUsers } from './strimzi.ts'

const strimziDir = `${repoRoot}/deploy/strimzi`
const chartDir = `${repoRoot}/deploy/helm/surehook`
const read = async (file: string) =>
  parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as unknown)
/** The valid names of Kubernetes objects. */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

describe('the manifests of Strimzi', () => {
  test('are the topics and the users of the contracts', async () => {
    expect(await read(`${strimziDir}/topics.yaml`)).toEqual(strimziTopics(defaultOptions))
    expect(await read(`${strimziDir}/users.yaml`)).toEqual(strimziUsers(defaultOptions))
    const topics = strimziTopics(defaultOptions).map(({ metadata }) => metadata.name)
    expect(topics).toEqual(topicTable(defaultOptions.retryLadder).map(({ name }) => name))
    const users = strimziUsers(defaultOptions).map(({ metadata }) => metadata.name)
    expect(users).toEqual(kafkaUsers.map((user) => `surehook-${user}`))
    for (const name of [...topics, ...users]) expect(name).toMatch(objectName)
  })

  test('fit the example of production', async () => {
    const [values] = (await read(`${chartDir}/values-production-example.yaml`)) as [
      { kafka: { partitions: number; replicationFactor: number; brokers: string[] } },
    ]
    expect(values.kafka).toMatchObject({
      partitions: defaultOptions.partitions,
      replicationFactor: defaultOptions.replicas,
      brokers: [`${defaultOptions.cluster}-kafka-bootstrap.kafka.svc:9093`],
    })
    const defaults = parse(await readFile(`${chartDir}/values.yaml`, 'utf8')) as {
      config: { WEBHOOK_RETRY_LADDER: string }
      kafka: { sasl: { usernamePrefix: string } }
    }
    // The default of the services, from which the manifests are made.
    expect(defaults.config.WEBHOOK_RETRY_LADDER).toBe('')
    expect(defaults.kafka.sasl.usernamePrefix).toBe(defaultOptions.usernamePrefix)
  })

  test('fit the example of a Kafka', async () => {
    const [pool, kafka] = (await read(`${strimziDir}/kafka-example.yaml`)) as [
      { spec: { replicas: number } },
      { metadata: { name: string }; spec: { kafka: { listeners: object[]; config: object } } },
    ]
    expect(pool.spec.replicas).toBeGreaterThanOrEqual(defaultOptions.replicas)
    expect(kafka.metadata.name).toBe(defaultOptions.cluster)
    expect(kafka.spec.kafka).toMatchObject({
      listeners: [
        { port: 9093, tls: true, authentication: { type: defaultOptions.authentication } },
      ],
      authorization: { type: 'simple' },
    })
    expect(kafka.spec.kafka.config).toMatchObject({
      // Ten years, as the log message `kafka.offset_retention.short` of the services requires.
      'offsets.retention.minutes': 10 * 365 * 24 * 60,
      // An open transaction of a publisher ends after a minute.
      'transaction.max.timeout.ms': 60_000,
    })
  })

  test('keep an acknowledged record when a copy is lost, if there are copies', () => {
    const [three] = strimziTopics(defaultOptions)
    const [one] = strimziTopics({ ...defaultOptions, replicas: 1 })
    expect(three?.spec).toMatchObject({ config: { 'min.insync.replicas': '2' } })
    expect(one?.spec).not.toHaveProperty(['config', 'min.insync.replicas'])
  })
})
