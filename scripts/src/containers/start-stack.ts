import type { Stack, StackOptions } from '../lib/stack.ts'
import { startLocalStack } from '../local-stack/local-stack.ts'
import { chooseInfra } from './choose-infra.ts'
import { startContainerStack } from './container-stack.ts'

/** Kafka, registry, PostgreSQL and Redis, as processes or in containers: see `chooseInfra`. */
export async function startStack(
  options: StackOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Stack> {
  const infra = await chooseInfra(env)
  return infra === 'local' ? startLocalStack(options) : startContainerStack(options)
}
