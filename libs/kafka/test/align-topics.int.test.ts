import { expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import kafkajs from 'kafkajs'
import { alignTopics } from '../src/topics/align-topics.ts'

const kafka = testKafka()

async function configOf(topic: string): Promise<Record<string, string>> {
  const admin = kafka.admin()
  await admin.connect()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  })
  await admin.disconnect()
  const entries = resources[0]?.configEntries ?? []
  return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))
}

it('updates a topic of an older installation to the table, and keeps other settings', async () => {
  const config = { 'retention.ms': '1000', 'segment.ms': '77777', 'max.message.bytes': '2097152' }
  const name = await makeTopic(kafka, { config })
  const spec = {
    name,
    partitions: 'one' as const,
    config: { 'retention.ms': '-1', 'message.timestamp.type': 'LogAppendTime' },
  }

  expect(await alignTopics(kafka, [spec], silent)).toEqual([{ topic: name, changed: spec.config }])
  expect(await configOf(name)).toMatchObject({ ...config, ...spec.config })

  expect(await alignTopics(kafka, [spec], silent)).toEqual([])
})

it('creates no topic', async () => {
  const spec = {
    name: 'align-missing',
    partitions: 'one' as const,
    config: { 'retention.ms': '1' },
  }
  expect(await alignTopics(kafka, [spec], silent)).toEqual([])
})
