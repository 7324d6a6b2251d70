import { judgeGroup, readGroups } from '@surehook/kafka/diagnosis/judge-groups'
import { retryTopicNames } from '@surehook/service-kit/config/retry-ladder'
import type { Finding } from '@surehook/service-kit/diagnosis/finding'
import type { Target } from '../../target.ts'
import { withKafka } from '../../with-kafka.ts'

export async function checkConsumers(target: Target, lagLimit: number): Promise<Finding[]> {
  const states = await withKafka(target, (admin, read) => readGroups(admin, retryTopicNames(read)))
  return states.flatMap((state) => judgeGroup(state, lagLimit))
}
