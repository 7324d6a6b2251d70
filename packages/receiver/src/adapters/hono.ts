import type { Context } from 'hono'
import { createReceiver, type ReceiverOptions } from '../receiver.ts'
import { answerRequest } from './fetch.ts'

/** Returns a Hono handler: `app.post('/hooks', honoReceiver({ … }))`. */
export function honoReceiver<R extends object = Record<string, unknown>>(
  options: ReceiverOptions<R>,
): (context: Context) => Promise<Response> {
  const receiver = createReceiver(options)
  // Hono keeps a body that a middleware has read.
  return ({ req }) => answerRequest(receiver, req.raw, () => req.arrayBuffer())
}
