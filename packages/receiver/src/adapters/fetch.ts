import { createReceiver, type Receiver, type ReceiverOptions } from '../receiver.ts'
import { WebhookError } from '../webhook-error.ts'

/** Returns a handler for runtimes with `Request` and `Response`: Deno, Bun, workers. */
export function fetchReceiver<R extends object = Record<string, unknown>>(
  options: ReceiverOptions<R>,
): (request: Request) => Promise<Response> {
  const receiver = createReceiver(options)
  return (request) => answerRequest(receiver, request)
}

/** @param read reads the body if something has read the request's own stream before. */
export async function answerRequest(
  receiver: Receiver,
  request: Request,
  read?: () => Promise<ArrayBuffer>,
): Promise<Response> {
  const { status, headers, body } = await receiver.receive(async () => {
    if (request.method !== 'POST') {
      throw new WebhookError('method_not_allowed', 'Deliveries are sent with POST')
    }
    return { headers: request.headers, body: await bodyOf(receiver, request, read) }
  })
  return new Response(body, { status, headers })
}

async function bodyOf(
  { maxBodyBytes }: Receiver,
  request: Request,
  read: (() => Promise<ArrayBuffer>) | undefined,
): Promise<Uint8Array> {
  if (!request.bodyUsed) return readStream(request.body, maxBodyBytes)
  if (read === undefined) {
    throw new WebhookError(
      'body_already_parsed',
      'The body of the request was read before the receiver. Give the receiver request.clone().',
    )
  }
  return new Uint8Array(await read())
}

/** Reads a body of at most `limit` bytes. Rejects with `body_too_large` as soon as it has more. */
export async function readStream(
  stream: AsyncIterable<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream ?? []) {
    length += chunk.length
    if (length > limit) {
      throw new WebhookError('body_too_large', `The body has more than ${limit} bytes`)
    }
    chunks.push(chunk)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
