import type { FastifyPluginAsync } from 'fastify'
import { createReceiver, type ReceiverOptions } from '../receiver.ts'
import { WebhookError } from '../webhook-error.ts'

/**
 * Returns a Fastify plugin with one route: `app.register(fastifyReceiver('/hooks', { … }))`. It
 * keeps raw bodies only in its own scope, so other routes still parse JSON.
 */
export function fastifyReceiver<R extends object = Record<string, unknown>>(
  path: string,
  options: ReceiverOptions<R>,
): FastifyPluginAsync {
  const receiver = createReceiver(options)
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body))
    app.post(path, { bodyLimit: receiver.maxBodyBytes }, async ({ headers, body }, reply) => {
      const answer = await receiver.receive(async () => ({ headers, body: bytesOf(body) }))
      return reply
        .code(answer.status)
        .headers(answer.headers)
        .send(answer.body ?? undefined)
    })
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array()
  if (body instanceof Uint8Array) return body
  throw new WebhookError(
    'body_already_parsed',
    'A preParsing or preValidation hook replaced the body, so the signed bytes are gone. ' +
      'Register the receiver outside of the scope of the hook.',
  )
}
