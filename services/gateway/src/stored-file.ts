import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Response } from 'express'

const zip = promisify(gzip)

/** A file in memory that the gateway serves itself. */
export type StoredFile = {
  readonly type: string
  readonly bytes: Buffer
  /**
   * The bytes compressed. The first request compresses them, because most files are seldom read.
   */
  zipped(): Promise<Buffer>
}

export function storedFile(type: string, bytes: Buffer): StoredFile {
  let zipping: Promise<Buffer> | undefined
  return { type, bytes, zipped: () => (zipping ??= zip(bytes, { level: 9 })) }
}

/** Sends the file, compressed if the client can read that. */
export async function sendFile(
  file: StoredFile,
  req: IncomingMessage,
  res: Response,
): Promise<void> {
  const isZipped = acceptsGzip(req)
  const bytes = isZipped ? await file.zipped() : file.bytes
  res.setHeader('Content-Type', file.type)
  res.setHeader('Content-Length', bytes.length)
  res.appendHeader('Vary', 'Accept-Encoding')
  if (isZipped) res.setHeader('Content-Encoding', 'gzip')
  res.end(req.method === 'HEAD' ? undefined : bytes)
}

const acceptsGzip = ({ headers: { 'accept-encoding': accepted = '' } }: IncomingMessage) =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted)
