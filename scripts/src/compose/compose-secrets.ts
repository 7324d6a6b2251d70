import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import {
  newSecrets,
  type Secrets,
  type ServiceName,
  serviceNames,
  serviceTraits,
} from '../system/service-catalog.ts'

export type ComposeSecrets = Secrets & {
  /** Of PostgreSQL's administrator. */
  postgresPassword: string
  /** Of the services' roles. */
  databasePasswords: Partial<Record<ServiceName, string>>
  grafanaPassword: string
}

/** Made once and kept in `file`: volumes that were made with them outlive containers. */
export async function keepComposeSecrets(file: string): Promise<ComposeSecrets> {
  const kept = existsSync(file) ? await readFile(file, 'utf8') : '{}'
  // A release may need one that the file does not have yet.
  const secrets = { ...newComposeSecrets(), ...(JSON.parse(kept) as Partial<ComposeSecrets>) }
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}

export const databaseServices = serviceNames.filter((name) => serviceTraits[name].database)

function newComposeSecrets(): ComposeSecrets {
  return {
    ...newSecrets(),
    postgresPassword: newPassword(),
    databasePasswords: Object.fromEntries(databaseServices.map((name) => [name, newPassword()])),
    grafanaPassword: newPassword(),
  }
}

/** Without a letter that a URL or an env file would read as something else. */
const newPassword = () => randomBytes(18).toString('hex')
