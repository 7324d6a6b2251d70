import { expect, it } from '@jest/globals'
import { checkOffsetRetention } from '../src/kafka/offset-retention.ts'
import { testKafka } from './kafka.ts'

it('the local stack keeps the commits of a group that nobody is in', async () => {
  const warned: object[] = []
  const warn = (fields: object, event: string) => void warned.push({ event, ...fields })
  await checkOffsetRetention(testKafka(), { groupId: 'readers', log: { warn } as never })
  expect(warned).toEqual([])
})
