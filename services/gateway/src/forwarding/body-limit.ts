import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { discardRest } from '@surehook/service-kit/http/discard-rest'

const tooLarge = (limitBytes: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The body must be at most ${limitBytes} bytes`)

/** Refuses what can be refused before a byte of the body is read. */
export function checkBodyFraming(req: IncomingMessage, limitBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    discardRest(req)
    throw tooLarge(limitBytes)
  }
  const encoding = req.headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    discardRest(req)
    throw invalid([{ field: 'Transfer-Encoding', message: 'must be chunked' }])
  }
}

/**
 * Counts a body whose length was not announced while it streams through; past the limit `refuse` is
 * called once. Call it when the body is about to flow: a listener makes it flow.
 */
export function limitStreamedBody(
  req: IncomingMessage,
  limitBytes: number,
  refuse: (problem: AppError) => void,
): void {
  if (req.headers['transfer-encoding'] === undefined) return
  let size = 0
  const count = (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) return
    req.off('data', count)
    refuse(tooLarge(limitBytes))
    discardRest(req)
  }
  req.on('data', count)
}
