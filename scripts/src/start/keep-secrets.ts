import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { newSecrets, type Secrets } from '../system/service-catalog.ts'

/**
 * Returns the secrets of the environment, or else those of `file`, which are made at the first
 * start.
 */
export async function keepSecrets(file: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const kept = await readOrMake(file)
  return {
    adminToken: env['PLATFORM_ADMIN_TOKEN'] || kept.adminToken,
    keyEncryptionKey: env['KEY_ENCRYPTION_KEY'] || kept.keyEncryptionKey,
    serviceToken: env['SERVICE_TOKEN'] || kept.serviceToken,
  }
}

async function readOrMake(file: string): Promise<Secrets> {
  const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Secrets) : {}
  // A newer release may need a secret that the file lacks.
  const made = { ...newSecrets(), ...kept }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return made
}
