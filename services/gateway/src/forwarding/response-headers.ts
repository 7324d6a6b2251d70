const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the upstream's headers as name, value, name, value, without the hop-by-hop ones and its
 * request id.
 */
export function responseHeaders(rawHeaders: unknown): string[] {
  if (!Array.isArray(rawHeaders)) throw new Error('Not the headers of an HTTP/1.1 answer')
  const kept: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = textOf(rawHeaders[i])
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower) && lower !== 'x-request-id') kept.push(name, textOf(rawHeaders[i + 1]))
  }
  return kept
}

/** Node decodes header bytes in the same way. */
const textOf = (raw: unknown): string =>
  Buffer.isBuffer(raw) ? raw.toString('latin1') : String(raw)
