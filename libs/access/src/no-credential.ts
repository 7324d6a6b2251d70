import type { ErrorCode } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'

/** Nothing was sent, which is another mistake than a wrong token: the code is the same, the message is not. */
export const noCredential = (code: ErrorCode, what: string): AppError =>
  new AppError(code, `There is no credential: send "Authorization: Bearer <${what}>"`)
