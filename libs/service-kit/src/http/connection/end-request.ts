import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'
import { sendProblem } from '../problem.ts'

export const lateBody = () =>
  new AppError('REQUEST_TIMEOUT', 'The body of the request did not arrive in time')

/**
 * Answers a request with an incomplete body, unless a response has begun, and ends the connection.
 */
export function endRequest(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  problem: AppError,
): void {
  if (res.headersSent) {
    req.socket.destroy()
    return
  }
  res.setHeader('Connection', 'close')
  sendProblem(res, problem)
}
