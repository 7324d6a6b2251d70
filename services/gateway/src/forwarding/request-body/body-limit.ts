import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { discardRest } from '@surehook/service-kit/http/discard-rest'

export const tooLarge = (limitBytes: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The body must be at most ${limitBytes} bytes`)

/** Refuses by the headers alone, before any byte of the body is read. */
export function checkBodyFraming(req: IncomingMessage, limitBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    discardRest(req)
    throw tooLarge(limitBytes)
  }
  const encoding = req.headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    discardRest(req)
    throw invalid([
      { field: 'Transfer-Encoding', message: 'must be chunked', rule: 'invalid_value' },
    ])
  }
}
