import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import type { TopicSpec } from '@surehook/contracts/topics'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { testKafka } from '@surehook/testing/kafka'
import { awaitTopics, ensureTopics } from '../src/topics/topics.ts'

it('waits for topics without creating them, and names missing ones', async () => {
  const spec = (name: string): TopicSpec => ({
    name: `${name}-${randomUUID()}`,
    partitions: 'one',
    config: {},
  })
  const [there, missing] = [spec('there'), spec('missing')]
  const options = {
    mainPartitions: 1,
    replicationFactor: 1,
    log: createLogger('test', 'silent'),
    signal: AbortSignal.timeout(20_000),
  }
  const kafka = testKafka()
  await ensureTopics(kafka, [there], options)
  await awaitTopics(kafka, [there], options)
  for (const _ of [1, 2]) {
    await expect(awaitTopics(kafka, [there, missing], options)).rejects.toThrow(
      `Topics are missing: ${missing.name}; \`surehook prepare topics\` makes them`,
    )
  }
})
