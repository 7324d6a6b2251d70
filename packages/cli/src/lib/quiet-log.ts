import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import type { Io } from '../cli/command.ts'

/** What the libraries tell goes where a command says what it does on its way: warnings and worse. */
export function quietLog({ env, note }: Pick<Io, 'env' | 'note'>): Logger {
  const write = (line: string) => note(line.trimEnd())
  return createLogger('surehook', env['LOG_LEVEL'] || 'error', { write })
}
