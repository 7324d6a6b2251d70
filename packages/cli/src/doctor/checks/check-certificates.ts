import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { certificateVariables } from '@surehook/contracts/certificate-variables'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { reasonOf } from '@surehook/service-kit/errors'
import { expiryAt, type TlsPlace } from '../certificate-expiry.ts'
import type { Target } from '../target.ts'

const { ok, warn, wrong, skipped } = findingsOf('certificates')

const dayMs = 86_400_000

/** Checks certificates in files that variables name, and those of TLS servers. */
export async function checkCertificates(target: Target, warnDays: number): Promise<Finding[]> {
  const { env, io } = target
  const judge = (what: string, to: Date) => judgeExpiry(what, to, { now: io.now(), warnDays })
  const files = Object.values(certificateVariables).flatMap((name) => {
    const file = env[name]
    return file ? examineFile(`${name} (${file})`, file, judge) : []
  })
  const servers = await Promise.all(
    tlsPlaces(target).map(async (place) => {
      const { what, host, port } = place
      try {
        return [judge(`${what} (${host}:${port})`, await expiryAt(place))]
      } catch (err) {
        return [skipped(`${what} (${host}:${port}) shows none: ${reasonOf(err)}`)]
      }
    }),
  )
  const findings = [...files, ...pairFaults(env), ...servers.flat()]
  return findings.length > 0
    ? findings
    : [ok('none are configured: every connection is without TLS')]
}

export function judgeExpiry(
  what: string,
  validTo: Date,
  { now, warnDays }: { now: number; warnDays: number },
): Finding {
  const leftMs = validTo.getTime() - now
  const day = validTo.toISOString().slice(0, 10)
  if (leftMs <= 0)
    return wrong(`${what} has expired on ${day}`, 'Replace it and restart what uses it.')
  const days = Math.floor(leftMs / dayMs)
  if (days < warnDays)
    return warn(`${what} expires in ${days} days, on ${day}`, 'Replace it in time.')
  return ok(`${what} is good for ${days} days`)
}

type Judge = (what: string, to: Date) => Finding

/** A CA file may hold several certificates. Each is checked. */
export function examineFile(what: string, file: string, judge: Judge): Finding[] {
  try {
    const blocks = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    )
    if (blocks === null)
      return [wrong(`${what} holds no certificate`, 'Name a file of PEM certificates.')]
    return blocks.map((pem, index) => {
      const certificate = new X509Certificate(pem)
      const place = blocks.length > 1 ? `${what}, certificate ${index + 1}` : what
      return judge(place, new Date(certificate.validTo))
    })
  } catch (err) {
    return [wrong(`${what}: ${reasonOf(err)}`, 'Name a file of PEM certificates that can be read.')]
  }
}

function pairFaults({ KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key }: NodeJS.ProcessEnv): Finding[] {
  if (!cert || !key) return []
  try {
    const isPair = new X509Certificate(readFileSync(cert)).checkPrivateKey(
      createPrivateKey(readFileSync(key)),
    )
    if (isPair) return []
    return [
      wrong('KAFKA_KEY_FILE is not the key of KAFKA_CERT_FILE', 'Name the two files of one pair.'),
    ]
  } catch (err) {
    return [wrong(`KAFKA_KEY_FILE: ${reasonOf(err)}`, 'Name the two files of one pair.')]
  }
}

/** Returns the servers that the system reaches over TLS. */
export function tlsPlaces({ env, baseUrl }: Pick<Target, 'env' | 'baseUrl'>): TlsPlace[] {
  const urls = [
    { what: 'the gateway', url: baseUrl, scheme: 'https:', port: 443 },
    { what: 'PUBLIC_URL', url: env['PUBLIC_URL'], scheme: 'https:', port: 443 },
    { what: 'the schema registry', url: env['SCHEMA_REGISTRY_URL'], scheme: 'https:', port: 443 },
    { what: 'Redis', url: env['REDIS_URL'], scheme: 'rediss:', port: 6379 },
    { what: 'the mail server', url: env['SMTP_URL'], scheme: 'smtps:', port: 465 },
  ]
  const brokers = env['KAFKA_TLS'] === 'true' ? (env['KAFKA_BROKERS'] ?? '').split(',') : []
  return [
    ...postgresPlaces(env),
    ...urls.flatMap(({ what, url, scheme, port }) => {
      if (!url || !URL.canParse(url) || new URL(url).protocol !== scheme) return []
      const { hostname, port: given } = new URL(url)
      return [{ what, host: unbracketed(hostname), port: Number(given || port) }]
    }),
    ...brokers.map((text) => {
      const broker = text.trim()
      const [, host = broker, port = ''] = /^(.*):(\d*)$/.exec(broker) ?? []
      return { what: 'Kafka', host: unbracketed(host), port: Number(port) }
    }),
  ]
}

/** `[fd00::1]` → `fd00::1`: sockets need the address without brackets. */
const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

function postgresPlaces({
  DATABASE_URL: text,
  DATABASE_CA_FILE: ca,
}: NodeJS.ProcessEnv): TlsPlace[] {
  if (!text || !URL.canParse(text)) return []
  const { hostname, port, searchParams } = new URL(text)
  const mode = searchParams.get('sslmode') ?? 'disable'
  if (!ca && mode === 'disable') return []
  const host = unbracketed(hostname)
  return [{ what: 'PostgreSQL', host, port: Number(port || 5432), isPostgres: true }]
}
