import { AppError } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/metrics'
import { toUnavailable } from '@surehook/service-kit/unavailable'

export type AccountOperation =
  | 'signup'
  | 'confirm_signup'
  | 'resend_code'
  | 'login'
  | 'recover_password'
  | 'reset_password'

/** Counts how operations end: `success`, or the code that they are answered with. */
export function operationMeter(metrics: Metrics) {
  const ended = metrics.counter({
    name: 'auth_operations_total',
    help: 'Operations on accounts, by how they ended',
    labelNames: ['operation', 'outcome'],
  })
  return async <T>(operation: AccountOperation, work: Promise<T>): Promise<T> => {
    try {
      const result = await work
      ended.inc({ operation, outcome: 'success' })
      return result
    } catch (err) {
      ended.inc({ operation, outcome: codeOf(err) })
      throw err
    }
  }
}

const codeOf = (err: unknown) =>
  (err instanceof AppError ? err : toUnavailable(err))?.code ?? 'INTERNAL_ERROR'

export function lockoutMeter(metrics: Metrics) {
  return metrics.counter({ name: 'auth_lockouts_total', help: 'Locks set after failed logins' })
}
