import { PassThrough, type Readable } from 'node:stream'
import type { AppError } from '@surehook/service-kit/errors'
import type { Request } from 'express'
import { limitStreamedBody } from './body-limit.ts'

/** What is not larger is sent with its head in one piece. */
const maxWholeBytes = 64 * 1024

/**
 * The request's body as the upstream gets it: `null` when there is none, whole when it is small, else as a stream.
 * `gone` when the client left in the middle of a small one.
 */
export async function bodyToSend(
  req: Request,
  limitBytes: number,
  refuse: (problem: AppError) => void,
): Promise<Buffer | Readable | null | 'gone'> {
  const length = Number(req.headers['content-length'] ?? 0)
  const chunked = req.headers['transfer-encoding'] !== undefined
  if (length === 0 && !chunked) return null
  if (!chunked && length <= maxWholeBytes) return readWhole(req)
  // Whoever sends it destroys it when something breaks; the request is still to be answered.
  const body = new PassThrough()
  limitStreamedBody(req, limitBytes, (problem) => {
    req.unpipe(body)
    refuse(problem)
  })
  return req.pipe(body)
}

function readWhole(req: Request): Promise<Buffer | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => void chunks.push(chunk))
    req.once('end', () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    req.once('close', () => {
      if (!req.complete) resolve('gone')
    })
  })
}
