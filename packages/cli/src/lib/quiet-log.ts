import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import type { Io } from '../cli/command.ts'

/** Logger for libraries. It writes errors, or the level in LOG_LEVEL, to standard error. */
export function quietLog({ env, note }: Pick<Io, 'env' | 'note'>): Logger {
  const write = (line: string) => note(line.trimEnd())
  return createLogger('surehook', env['LOG_LEVEL'] || 'error', { write })
}
