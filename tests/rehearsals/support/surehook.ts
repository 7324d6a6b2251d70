import { repoRoot } from '@surehook/scripts/lib/paths'
import { runCommand } from '@surehook/scripts/lib/run-command'
import type { Stage } from '../../faults/suite/stage/stage.ts'

/**
 * Runs the command `surehook` as an operator does. Resolves to its output.
 * @param root the checkout whose command runs
 */
export async function surehook(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  root: string = repoRoot,
): Promise<string> {
  const { ok, output } = await trySurehook(args, env, root)
  if (!ok) throw new Error(`surehook ${args.join(' ')} failed:\n${output}`)
  return output
}

/** Like `surehook`, for a command whose exit code is a result. */
export async function trySurehook(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  root: string = repoRoot,
) {
  const bin = `${root}/packages/cli/bin/surehook.mjs`
  const { ok, output } = await runCommand({ args: ['node', bin, ...args], env })
  return { ok, output: output.trimEnd() }
}

/** The environment in which an operator runs the command. */
export const operatorEnv = ({
  stack,
  secrets,
  env,
  platform,
}: Pick<Stage, 'stack' | 'secrets' | 'env' | 'platform'>): NodeJS.ProcessEnv => ({
  ...env,
  // Variables that are set only for the services.
  NODE_OPTIONS: '',
  DATABASE_URL: stack.databaseUrl,
  KAFKA_BROKERS: stack.kafkaBrokers,
  SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
  REDIS_URL: stack.redisUrl,
  KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey,
  SUREHOOK_ADMIN_TOKEN: secrets.adminToken,
  SUREHOOK_URL: platform.baseUrl,
})

export const indented = (text: string): string => text.replaceAll(/^/gm, '     ')
