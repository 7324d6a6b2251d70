import { expect, it } from '@jest/globals'
import { testKafka } from '@surehook/testing/kafka'
import { checkOffsetRetention } from '../src/topics/offset-retention.ts'

it('the local stack keeps the commits of a group without members', async () => {
  const warned: object[] = []
  const warn = (fields: object, event: string) => void warned.push({ event, ...fields })
  await checkOffsetRetention(testKafka(), { groupId: 'readers', log: { warn } as never })
  expect(warned).toEqual([])
})
