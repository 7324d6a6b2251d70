import type { Finding } from '@surehook/diagnosis/finding'
import { judgeGroup } from '@surehook/diagnosis/kafka/judge-groups'
import { readGroups } from '@surehook/diagnosis/kafka/read-groups'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'
import type { Target } from '../../target.ts'
import { withKafka } from '../../with-kafka.ts'

export async function checkConsumers(target: Target, lagLimit: number): Promise<Finding[]> {
  const states = await withKafka(target, (admin, read) => readGroups(admin, retryTopicNames(read)))
  return states.flatMap((state) => judgeGroup(state, lagLimit))
}
