import * as z from 'zod'
import { reasonOf } from './errors.ts'
import { explainIssue } from './http/explain-issue.ts'
import { parseDuration } from './time.ts'

/** Text such as `5s` in, milliseconds out. */
export const duration = z.string().transform((text, ctx) => parsed(text, ctx)?.ms ?? z.NEVER)

/** As `duration`, and refuses what is shorter or longer than makes sense. */
export function durationBetween(least: string, most: string) {
  const [min, max] = [parseDuration(least), parseDuration(most)]
  return duration.refine((ms) => ms >= min && ms <= max, `must be ${least} to ${most}`)
}

export type NamedDelay = { name: string; ms: number }

/** Keeps the text: names that follow from a delay (topics) need it. */
const namedDelay = z
  .string()
  .transform((text, ctx) => parsed(text, ctx) ?? z.NEVER)
  .refine(({ ms }) => ms >= 10 && ms <= parseDuration('7d'), 'must be 10ms to 7d')

function parsed(text: string, ctx: z.RefinementCtx): NamedDelay | null {
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

const port = z.coerce.number().int().min(0).max(65_535)
const broker = z.string().regex(/^[^:\s]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i, 'must be host:port')

export const logEnv = {
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
}

/** Fragments are spread: `z.object({ ...httpEnv, ...postgresEnv })`. Port 0 takes any free port. */
export const httpEnv = {
  ...logEnv,
  PORT: port,
  INTERNAL_PORT: port,
  HOST: z.string().default('127.0.0.1'),
}

export const kafkaEnv = {
  KAFKA_BROKERS: commaList.pipe(z.array(broker).min(1)),
  SCHEMA_REGISTRY_URL: z.url({ protocol: /^https?$/ }),
  KAFKA_PARTITIONS: z.coerce.number().int().min(1).max(10_000).default(8),
  KAFKA_REPLICATION_FACTOR: z.coerce.number().int().min(1).max(100).default(1),
  WEBHOOK_RETRY_DELAYS: commaList.pipe(z.array(namedDelay).min(1).max(20)).prefault('1s,5s,30s,5m'),
}

export const postgresEnv = { DATABASE_URL: z.url({ protocol: /^postgres(?:ql)?$/ }) }

export const redisEnv = { REDIS_URL: z.url({ protocol: /^rediss?$/ }) }

/** `KEY_ENCRYPTION_KEY` as its 32 bytes. */
export const encryptionKeyEnv = {
  KEY_ENCRYPTION_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === 32, 'must be 32 bytes in base64'),
}

/**
 * Reads the environment once: unknown variables are ignored, an empty one counts as unset, and one
 * error names every fault. Values are never repeated in it: they may be secrets.
 */
export function readEnv<Schema extends z.ZodObject>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
): Readonly<z.infer<Schema>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  const result = schema.safeParse(given, { error: explainIssue })
  if (result.success) return Object.freeze(result.data)
  const faults = result.error.issues.map(({ path, message }) => {
    const isSet = Object.hasOwn(given, String(path[0]))
    return `  ${path.join('.')}: ${isSet ? message : 'is not set'}`
  })
  throw new Error(`Invalid configuration\n${faults.join('\n')}`)
}
