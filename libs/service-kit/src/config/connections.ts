import { isIP } from 'node:net'
import type * as z from 'zod'
import { siblingUrl } from '../postgres/sibling-database.ts'
import type { postgresEnv, redisEnv } from './config.ts'
import { demand, readPem } from './faults.ts'

type VariablesOf<Fragment extends z.ZodRawShape> = z.infer<z.ZodObject<Fragment>>

/**
 * URL that verifies the server on every connection if a CA is configured: the CA must have signed
 * the certificate, and the certificate must name the host. Each connection reads the file again.
 */
export function databaseConnection(
  read: VariablesOf<typeof postgresEnv>,
  /** The variable that has the URL, for errors. */
  name = 'DATABASE_URL',
): string {
  const { DATABASE_URL: text, DATABASE_CA_FILE: ca } = read
  if (ca === undefined) return text
  const url = new URL(text)
  const mode = url.searchParams.get('sslmode') ?? 'verify-full'
  demand([
    ...(mode === 'verify-full' ? [] : [`DATABASE_CA_FILE: ${name} must not say sslmode=${mode}`]),
    // Node would compare the certificate with "localhost" instead of an IP address.
    ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
      ? []
      : [`DATABASE_CA_FILE: ${name} must name its host, an address cannot be verified`]),
  ])
  readPem('DATABASE_CA_FILE', ca)
  url.searchParams.set('sslmode', 'verify-full')
  url.searchParams.set('sslrootcert', ca)
  return url.href
}

type Sibling = {
  /** As in `siblingUrl`. */
  suffix: string
  /** The variable that names another database, and its value. */
  name: string
  url: string | undefined
}

/** URL of a further database: the one that a variable names, or a sibling of `DATABASE_URL`. */
export function siblingConnection(
  read: VariablesOf<typeof postgresEnv>,
  { suffix, name, url }: Sibling,
): string {
  if (url === undefined) return siblingUrl(databaseConnection(read), suffix)
  return databaseConnection({ ...read, DATABASE_URL: url }, name)
}

export type RedisConnection = { url: string; ca?: string }

export function redisConnection(read: VariablesOf<typeof redisEnv>): RedisConnection {
  const { REDIS_URL: url, REDIS_CA_FILE: ca } = read
  if (ca === undefined) return { url }
  demand(url.startsWith('rediss:') ? [] : ['REDIS_CA_FILE: requires a rediss:// REDIS_URL'])
  return { url, ca: readPem('REDIS_CA_FILE', ca) }
}

/** `null` for a service that runs without Redis. */
export function optionalRedis({
  REDIS_URL,
  REDIS_CA_FILE,
}: {
  REDIS_URL?: string | undefined
  REDIS_CA_FILE?: string | undefined
}): RedisConnection | null {
  return REDIS_URL === undefined ? null : redisConnection({ REDIS_URL, REDIS_CA_FILE })
}
