import { expect, it } from '@jest/globals'
import { GrowthReport } from './growth-report.ts'

/** @param answers how many partitions each question finds unused; null: Kafka does not answer */
function setUp(answers: (number | null)[], partition = 0) {
  const lines: unknown[] = []
  const note = (fields: { partitions?: number }, line = '') => {
    lines.push([line, ...(fields.partitions === undefined ? [] : [fields.partitions])])
  }
  const lease = new AbortController()
  const report = new GrowthReport({
    ...{ assignment: { partition, lease: lease.signal }, control: { partitions: 4 }, pollMs: 1 },
    gate: {
      async unused() {
        const found = answers.shift()
        if (answers.length === 0 && found !== 0) lease.abort()
        if (typeof found !== 'number') throw new Error('Kafka is away')
        return Array<number>(found).fill(0)
      },
    },
    log: { info: note, warn: note },
  })
  return { report, lines, answers }
}

it('logs when the added partitions are used', async () => {
  const { report, lines } = setUp([2, null, 1, 0])
  await Promise.all([report.watch(), report.watch()])
  expect(lines).toEqual([['growth.unknown'], ['growth.finished', 4]])
})

it.each([
  ['all partitions were used before', [0], 0],
  ['all were used before an outage of Kafka', [null, 0], 0],
  ['it lost the first partition', [2, 1], 0],
])('does not say so when %s', async (_when, answers, partition) => {
  const { report, lines } = setUp(answers, partition)
  await report.watch()
  expect(lines).not.toContainEqual(['growth.finished', 4])
})

it('only the owner of the first partition asks', async () => {
  const { report, answers } = setUp([0], 1)
  await report.watch()
  expect(answers).toEqual([0])
})
