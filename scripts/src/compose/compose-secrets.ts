import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { newPassword } from 'surehook/prepare/new-secrets'
import {
  databaseServices,
  newSecrets,
  type Secrets,
  type ServiceName,
} from '../system/service-catalog.ts'

export type ComposeSecrets = Secrets & {
  /** The password of PostgreSQL's administrator. */
  postgresPassword: string
  /** The passwords of the services' roles. */
  databasePasswords: Partial<Record<ServiceName, string>>
  grafanaPassword: string
}

/**
 * Returns the secrets in `file`, and makes them at the first call. They are kept, because volumes
 * outlive containers.
 */
export async function keepComposeSecrets(file: string): Promise<ComposeSecrets> {
  const kept = existsSync(file) ? await readFile(file, 'utf8') : '{}'
  const known = JSON.parse(kept) as Partial<ComposeSecrets>
  // A newer release may need a secret that the file lacks.
  const made = newComposeSecrets()
  const databasePasswords = { ...made.databasePasswords, ...known.databasePasswords }
  const secrets = { ...made, ...known, databasePasswords }
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}

function newComposeSecrets(): ComposeSecrets {
  return {
    ...newSecrets(),
    postgresPassword: newPassword(),
    databasePasswords: Object.fromEntries(databaseServices.map((name) => [name, newPassword()])),
    grafanaPassword: newPassword(),
  }
}
