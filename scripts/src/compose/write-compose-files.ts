import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { state } from '../lib/paths.ts'
import { type RunningSystem, webhookTimes } from '../lib/running-system.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { type ComposeSecrets, keepComposeSecrets } from './compose-secrets.ts'
import { envFilesOf } from './env-files.ts'

/** The name under which containers reach their host machine. */
const thisMachine = 'host.docker.internal'

/**
 * Writes the files that docker-compose.yml reads from `dir`: secrets, and the authority of sample
 * receivers. Existing files stay.
 * @returns how to reach the running system, which is also in `endpoints.json`
 */
export async function writeComposeFiles(
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<RunningSystem> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const [secrets, { caFile }] = await Promise.all([
    keepComposeSecrets(`${dir}/secrets.json`),
    ensureDemoCa(state.demoCaDir),
  ])
  for (const [name, variables] of Object.entries(envFilesOf(secrets))) {
    const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}\n`)
    await writeFile(`${dir}/${name}.env`, lines.join(''), { mode: 0o600 })
  }
  await copyFile(caFile, `${dir}/receivers-ca.pem`)
  const facts = factsOf(env, secrets)
  await writeFile(`${dir}/endpoints.json`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  return facts
}

/** Uses the ports and defaults of docker-compose.yml. */
function factsOf(
  env: NodeJS.ProcessEnv,
  { adminToken, postgresPassword }: ComposeSecrets,
): RunningSystem {
  const at = (name: string, otherwise: number) => `127.0.0.1:${env[name] || otherwise}`
  const registry = at('REGISTRY_PORT', 8081)
  return {
    baseUrl: `http://localhost:${env['PORT'] || 8080}`,
    adminToken,
    databaseUrl: `postgres://postgres:${postgresPassword}@${at('POSTGRES_PORT', 5432)}/surehook`,
    kafkaBrokers: at('KAFKA_PORT', 9092),
    schemaRegistryUrl: `http://${registry}/apis/ccompat/v7`,
    redisUrl: `redis://${at('REDIS_PORT', 6379)}`,
    ...webhookTimes(env),
    receiverHost: thisMachine,
  }
}
