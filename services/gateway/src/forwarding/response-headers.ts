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

/** The gateway answers them itself. */
const ownHeaders = new Set([
  'x-request-id',
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/** The upstream's headers as name, value, name, value, without those of its connection and the gateway's own. */
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

/** As Node reads headers itself. */
const textOf = (raw: unknown): string =>
  Buffer.isBuffer(raw) ? raw.toString('latin1') : String(raw)
