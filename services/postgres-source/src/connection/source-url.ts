/** How the connection to a source is protected, in libpq's words. */
export const sslModes = ['verify-full', 'require', 'disable'] as const
export type SslMode = (typeof sslModes)[number]

/** The parts of a source's URL. */
export type SourceAddress = {
  host: string
  port: number
  user: string
  password: string
  database: string
  sslMode: SslMode
}

export type SourceUrl = { address: SourceAddress } | { fault: string }

const fault = (text: string): SourceUrl => ({ fault: text })
const defaultPort = 5432

/**
 * Parses `postgresql://user:password@host:port/database?sslmode=`. A fault never quotes the URL, which
 * holds a password. Other parameters are refused: they would change what the source is.
 */
export function parseSourceUrl(text: string): SourceUrl {
  const url = URL.parse(text)
  if (url === null || !['postgresql:', 'postgres:'].includes(url.protocol)) {
    return fault('must be a URL that begins with postgresql://')
  }
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(
    decoded,
  )
  if (!url.hostname) return fault('must name a host')
  if (!user) return fault('must name a user')
  if (!password) return fault('must have a password')
  if (!database || database.includes('\0')) return fault('must name a database')
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode')
  if (unknown !== undefined) return fault('must have no parameter but sslmode')
  const sslMode = sslModes.find((mode) => mode === (url.searchParams.get('sslmode') ?? sslModes[0]))
  if (sslMode === undefined) return fault(`must have one of these sslmodes: ${sslModes.join(', ')}`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? defaultPort : Number(url.port)
  return { address: { host, port, user, password, database, sslMode } }
}

/** Undefined for what is empty, or not percent-encoded as it should be. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return undefined
  }
}
