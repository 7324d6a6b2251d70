import { AppError } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { toUnavailable } from '@surehook/service-kit/unavailable'

const operations = [
  'signup',
  'confirm_signup',
  'resend_code',
  'login',
  'recover_password',
  'reset_password',
  'change_password',
] as const
type AccountOperation = (typeof operations)[number]

export type CountOperation = <T>(operation: AccountOperation, work: Promise<T>) => Promise<T>

/** Counts how operations end: `success`, or the code that they are answered with. */
export function operationMeter(metrics: Metrics): CountOperation {
  const ended = metrics.counter({
    name: 'surehook_auth_operations_total',
    help: 'Operations on accounts, by outcome',
    labelNames: ['operation', 'outcome'],
  })
  for (const operation of operations) ended.inc({ operation, outcome: 'success' }, 0)
  return async (operation, work) => {
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
  return metrics.counter({
    name: 'surehook_auth_lockouts_total',
    help: 'Locks set after failed logins',
  })
}
