import type { IncomingMessage, ServerResponse } from 'node:http'
import { createReceiver, type Receiver, type ReceiverOptions } from '../receiver.ts'
import { WebhookError } from '../webhook-error.ts'
import { readStream } from './fetch.ts'

/**
 * Returns an Express handler: `app.post('/hooks', expressReceiver({ … }))`. It reads the raw body
 * itself, so it must run before `express.json()`. It also serves as a listener of `node:http`.
 */
export function expressReceiver<R extends object = Record<string, unknown>>(
  options: ReceiverOptions<R>,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const receiver = createReceiver(options)
  return async (req, res) => {
    const { status, headers, body } = await receiver.receive(async () => {
      if (req.method !== 'POST') {
        throw new WebhookError('method_not_allowed', 'Deliveries are sent with POST')
      }
      return { headers: req.headers, body: await rawBody(req, receiver) }
    })
    // The rest of a body that was not read would be taken for the next request.
    if (!req.readableEnded) res.setHeader('connection', 'close')
    res.writeHead(status, headers)
    res.end(body ?? undefined)
  }
}

async function rawBody(
  req: IncomingMessage & { body?: unknown; rawBody?: unknown },
  { maxBodyBytes }: Receiver,
): Promise<Uint8Array | string> {
  if (req.rawBody instanceof Uint8Array) return req.rawBody
  // `express.raw()` leaves bytes. Those of `express.text()` are gone, but not those of UTF-8.
  if (req.body instanceof Uint8Array || typeof req.body === 'string') return req.body
  if (req.readableEnded || req.readableDidRead) {
    throw new WebhookError(
      'body_already_parsed',
      'A body parser such as express.json() ran before the receiver, so the signed bytes are ' +
        'gone. Register the receiver before app.use(express.json()), or keep the bytes: ' +
        'express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes } }).',
    )
  }
  return readStream(req, maxBodyBytes)
}
