import * as z from 'zod'
import { reasonOf } from '../errors.ts'
import { explainIssue } from '../explain-issue.ts'
import { parseDuration } from '../time.ts'
import { configurationError } from './faults.ts'

/** Parses text such as `5s` to milliseconds. */
export const duration = z.string().transform((text, ctx) => parsed(text, ctx)?.ms ?? z.NEVER)

/** Like `duration`, limited to the range from `least` to `most`. */
export function durationBetween(least: string, most: string) {
  const [min, max] = [parseDuration(least), parseDuration(most)]
  return duration.refine((ms) => ms >= min && ms <= max, `must be ${least} to ${most}`)
}

export type NamedDuration = { name: string; ms: number }

/** Like `duration`, with the text. */
export const namedDuration = z.string().transform((text, ctx) => parsed(text, ctx) ?? z.NEVER)

function parsed(text: string, ctx: z.RefinementCtx): NamedDuration | null {
  try {
    return { name: text, ms: parseDuration(text) }
  } catch (err) {
    ctx.addIssue({ code: 'custom', message: reasonOf(err) })
    return null
  }
}

/** `a, b` → `['a', 'b']`. */
export const commaList = z.string().transform((list) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
)

export function trueOrFalse(otherwise: boolean) {
  return z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(otherwise)
}

const port = z.coerce.number().int().min(0).max(65_535)

export const logEnv = {
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
}

/**
 * Spread these fragments: `z.object({ ...httpEnv, ...postgresEnv })`. Port 0 selects any free port.
 */
export const httpEnv = {
  ...logEnv,
  PORT: port,
  INTERNAL_PORT: port,
  HOST: z.string().default('127.0.0.1'),
}

export const postgresEnv = {
  DATABASE_URL: z.url({ protocol: /^postgres(?:ql)?$/ }),
  DATABASE_CA_FILE: z.string().optional(),
}

export const redisEnv = {
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  REDIS_CA_FILE: z.string().optional(),
}

/** A limit of requests, as points per second. */
export const perSecondEnv = (otherwise: number) =>
  z.coerce.number().int().min(1).max(1_000_000).default(otherwise)

const encryptionKey = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64')

/** Keys as 32 bytes. The previous keys only decrypt. */
export const encryptionKeyEnv = {
  KEY_ENCRYPTION_KEY: encryptionKey,
  KEY_ENCRYPTION_KEY_PREVIOUS: commaList.pipe(z.array(encryptionKey).max(5)).prefault(''),
}

/** The current key, then the previous keys. */
export type EncryptionKeys = readonly [current: Buffer, ...previous: Buffer[]]

export function encryptionKeysOf(
  read: z.infer<z.ZodObject<typeof encryptionKeyEnv>>,
): EncryptionKeys {
  return [read.KEY_ENCRYPTION_KEY, ...read.KEY_ENCRYPTION_KEY_PREVIOUS]
}

const credential = z.string().regex(/^\S{16,512}$/, 'must be 16 to 512 characters')

/**
 * During a rotation the list has the old and the new credential. Servers accept each, clients send
 * the first.
 */
export const credentials = commaList.pipe(z.array(credential).min(1).max(5))

/** An address without a trailing slash. */
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

/**
 * Parses the environment. It ignores unknown variables and treats empty ones as unset. Throws one
 * error that names every fault but no values, which may be secrets.
 */
export function readEnv<Schema extends z.ZodObject>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
): Readonly<z.infer<Schema>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  const result = schema.safeParse(given, { error: explainIssue })
  if (result.success) return Object.freeze(result.data)
  const faults = result.error.issues.map(({ code, path, message }) => {
    // A default may break a custom rule, so a custom fault does not mean that the variable is
    // missing.
    const isMissing = code !== 'custom' && !Object.hasOwn(given, String(path[0]))
    return `${path.join('.')}: ${isMissing ? 'is not set' : message}`
  })
  throw configurationError(faults)
}
