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

/** The gateway sets these itself. */
const ownHeaders = new Set([
  'x-request-id',
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/**
 * Returns the upstream's headers as name, value, name, value, without the hop-by-hop ones and those
 * that the gateway answers itself.
 */
export function responseHeaders(rawHeaders: unknown): string[] {
  if (!Array.isArray(rawHeaders)) throw new Error('Not the headers of an HTTP/1.1 answer')
  const kept: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = textOf(rawHeaders[i])
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower) && !ownHeaders.has(lower)) kept.push(name, textOf(rawHeaders[i + 1]))
  }
  return kept
}

/** Node decodes header bytes in the same way. */
const textOf = (raw: unknown): string =>
  Buffer.isBuffer(raw) ? raw.toString('latin1') : String(raw)
