import type { ReceiverOptions } from '../receiver.ts'
import { fetchReceiver } from './fetch.ts'

/**
 * Returns a route handler of the app router: `export const POST = nextReceiver({ … })`. It needs
 * no setting: the app router does not parse bodies.
 */
export function nextReceiver<R extends object = Record<string, unknown>>(
  options: ReceiverOptions<R>,
): (request: Request) => Promise<Response> {
  return fetchReceiver(options)
}
