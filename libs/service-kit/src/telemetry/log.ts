import { type DestinationStream, type Logger, pino } from 'pino'
import { type GatheredLines, openGatheredLines } from './gathered-lines.ts'

export type { Logger } from 'pino'

const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'secret',
  'secrets',
  'token',
  'tokenhash',
  'accesstoken',
  'refreshtoken',
  'admintoken',
  'password',
  'passwordhash',
  'connectionstring',
  'databaseurl',
  'ciphertext',
])
const censor = '[redacted]'
const maxDepth = 4

/** Shared by all loggers of the process. */
let stdout: GatheredLines | undefined

/**
 * Creates a logger that writes JSON lines to stdout. An unknown level counts as `info`: the check
 * of the configuration reports it. The message is a constant event name (`http.request`). All
 * details are fields.
 */
export function createLogger(name: string, level = 'info', stream?: DestinationStream): Logger {
  const options = {
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    formatters: {
      level: (label: string) => ({ level: label }),
      // Replaces pino's redaction, which with wildcards raises the cost of a line from 3 µs to 20
      // µs.
      log: (fields: Record<string, unknown>) => withoutSecrets(fields, 0),
      bindings: (fields: Record<string, unknown>) => withoutSecrets(fields, 0),
    },
  }
  return pino(options, stream ?? (stdout ??= openGatheredLines()))
}

/** PostgreSQL quotes rows and statements in these fields. Values of records must not be logged. */
const quotingFields = ['detail', 'where', 'internalQuery', 'hint'] as const

function describeError(err: Error): object {
  const described = { ...pino.stdSerializers.err(err) } as Record<string, unknown>
  for (const field of quotingFields) delete described[field]
  return described
}

/** Returns the same object if it holds no secret, else a redacted copy. */
function withoutSecrets<T extends object>(fields: T, depth: number): T {
  let copy: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(fields)) {
    const clean = secretNames.has(name.toLowerCase()) ? censor : withoutInnerSecrets(value, depth)
    if (clean === value) continue
    copy ??= Object.assign(Array.isArray(fields) ? [] : {}, fields) as Record<string, unknown>
    copy[name] = clean
  }
  return (copy as T | undefined) ?? fields
}

function withoutInnerSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return value
  return isPlain(value) ? withoutSecrets(value, depth + 1) : value
}

/** Buffers, dates and errors are left to pino's serializers. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
