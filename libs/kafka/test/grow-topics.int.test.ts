import { expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { withAdmin } from '../src/client/with-admin.ts'
import { growTopics } from '../src/topics/grow-topics.ts'

const kafka = testKafka()

const countsOf = (names: string[]) =>
  withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: names })
    return Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]))
  })

it('adds what is missing, also after an interruption, and removes nothing', async () => {
  const [interrupted, old] = [await makeTopic(kafka, { partitions: 4 }), await makeTopic(kafka)]
  const [single, missing] = [await makeTopic(kafka), 'grow-missing']
  const specs = [
    ...[interrupted, old, missing].map((name) => ({
      ...{ name, partitions: 'main' as const, config: {} },
    })),
    { name: single, partitions: 'one' as const, config: {} },
  ]
  const grow = (partitions: number) => growTopics(kafka, specs, { partitions, log: silent })

  expect(await grow(4)).toEqual([{ topic: old, from: 1, to: 4 }])
  expect(await countsOf([interrupted, old, single])).toEqual({
    [interrupted]: 4,
    [old]: 4,
    [single]: 1,
  })
  expect(await grow(4)).toEqual([])
  await expect(grow(3)).rejects.toThrow('Kafka cannot remove partitions')
})
