import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const secretNames = [
  'authorization',
  'cookie',
  'secret',
  'secrets',
  'token',
  'password',
  'passwordHash',
  'tokenHash',
  'connectionString',
  'adminToken',
]

/** Depth at which secrets are looked for: `token`, `body.token`, `req.headers.authorization`. */
const redactedPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** JSON lines on stdout. The message is a constant event name (`delivery.attempted`), the rest fields. */
export function createLogger(name: string, level = 'info', stream?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
  }
  return stream === undefined ? pino(options) : pino(options, stream)
}
