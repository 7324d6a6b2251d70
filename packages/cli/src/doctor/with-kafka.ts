import type { Admin } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { type KafkaVariables, kafkaClient, readKafkaVariables } from '../lib/connections.ts'
import { quietLog } from '../lib/quiet-log.ts'
import type { Target } from './target.ts'

/** Runs one check with its own admin client. */
export async function withKafka<T>(
  { env, io }: Pick<Target, 'env' | 'io'>,
  use: (admin: Admin, read: KafkaVariables) => Promise<T>,
): Promise<T> {
  const read = readKafkaVariables(env)
  const kafka = kafkaClient(read, quietLog({ env: io.env, note: io.note }))
  return withAdmin(kafka, (admin) => use(admin, read))
}
