import type { ErrorCode } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'

/** A missing credential gets the same code as a wrong one, but a message that says what to send. */
export const noCredential = (code: ErrorCode, what: string): AppError =>
  new AppError(code, `There is no credential: send "Authorization: Bearer <${what}>"`)
