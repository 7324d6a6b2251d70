import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import type { AppError } from '@surehook/service-kit/errors'
import { discardRest } from '@surehook/service-kit/http/discard-rest'
import { tooLarge } from './body-limit.ts'
import type { LargeBody } from './spooled-body.ts'

type Streaming = {
  limitBytes: number
  /** Called once if the body turns out to be too large. */
  refuse: (problem: AppError) => void
}

/** The large body that the upstream reads: the spooled part, then the rest as it arrives. */
export function streamBody(
  req: IncomingMessage,
  { begun }: LargeBody,
  { limitBytes, refuse }: Streaming,
): Readable {
  // undici destroys the body after an error; the request itself must stay open for the answer.
  const body = new PassThrough()
  if (begun.length > 0) body.write(begun)
  let size = begun.length
  const count = (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) return
    req.off('data', count)
    req.unpipe(body)
    refuse(tooLarge(limitBytes))
    discardRest(req)
  }
  // An announced length was checked earlier.
  if (req.headers['transfer-encoding'] !== undefined) req.on('data', count)
  return req.pipe(body)
}
