import type { IncomingMessage } from 'node:http'

const absoluteForm = /^https?:\/\/((?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d*)?)(?=[/?]|$)/i

/**
 * Rewrites a request target in absolute form to the path and query. Its host replaces `Host` (RFC
 * 9112, section 3.2.2). Any other target stays as it is.
 */
export function toOriginForm(req: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const { url = '' } = req
  if (url.startsWith('/')) return
  const [start = '', host] = absoluteForm.exec(url) ?? []
  if (host === undefined) return
  const rest = url.slice(start.length)
  req.url = rest.startsWith('/') ? rest : `/${rest}`
  req.headers.host = host
}
