import { existsSync, readFileSync } from 'node:fs'
import { surehookRoot } from './root.ts'

/** Addresses and secrets of a system that runs from this checkout. */
export type RunningSystem = {
  baseUrl: string
  adminToken: string
  databaseUrl: string
  kafkaBrokers: string
  schemaRegistryUrl: string
  redisUrl: string
  retryDelays: string[]
  circuitCooldown: string
  /** The delays that have a topic; absent for the default. */
  retryLadder?: string[]
  /** The name by which its deliveries reach this machine, when that is not `localhost`. */
  receiverHost?: string
}

const files = ['.local/endpoints.json', '.local/compose/endpoints.json']

/**
 * Certificate for `localhost` and `receiverHost`, signed by the CA that the local system trusts.
 */
export const demoCertificate = {
  certificate: `${surehookRoot}/.local/demo-ca/server.pem`,
  key: `${surehookRoot}/.local/demo-ca/server.key`,
}

/** Finds the system of `npm start` while it runs, else the one in containers, else `null`. */
export function findRunningSystem(root = surehookRoot): RunningSystem | null {
  const file = files.map((name) => `${root}/${name}`).find((path) => existsSync(path))
  return file === undefined ? null : (JSON.parse(readFileSync(file, 'utf8')) as RunningSystem)
}
