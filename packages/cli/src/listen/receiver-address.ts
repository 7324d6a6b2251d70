import { readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { rootCertificates } from 'node:tls'
import { reasonOf } from '@surehook/service-kit/errors'
import { UsageError } from '../cli/command.ts'

const port = /^:?(\d+)(?=$|[/?])/
const scheme = /^(?:https?:\/\/(?![/\\])|(?![/\\-]|https?:|[a-z][a-z\d+.-]*:(?!\d)))/i

/**
 * Reads the URL of a receiver. `localhost:3000/hook` is `http://localhost:3000/hook`, and a number
 * is a port of this machine.
 */
export function receiverUrl(text: string): URL {
  const given = text.trim().replace(port, 'localhost:$1')
  const full = /^https?:\/\//i.test(given) ? given : `http://${given}`
  const isUrl = scheme.test(given) && URL.canParse(full)
  const url = isUrl ? new URL(full) : null
  if (url === null || url.port === '0' || isRewritten(full, url)) {
    throw new UsageError(
      `--forward-to: "${text}" is no http or https URL, no host with a port, and no port from 1 to 65535`,
    )
  }
  return url
}

/** `http://45753` would be 0.0.178.185. */
const isRewritten = (text: string, { hostname }: URL) =>
  isIPv4(hostname) && !text.includes(`/${hostname}`) && !text.includes(`@${hostname}`)

/** How the certificate of the receiver is verified. */
export type ReceiverTls = { rejectUnauthorized: boolean; ca?: string[] }

/** @param ca file of certificates in PEM that are trusted too */
export function receiverTls(ca: string | undefined, insecure: boolean | undefined): ReceiverTls {
  const rejectUnauthorized = insecure !== true
  if (ca === undefined) return { rejectUnauthorized }
  try {
    return { rejectUnauthorized, ca: [...rootCertificates, readFileSync(ca, 'utf8')] }
  } catch (err) {
    throw new UsageError(`--ca: "${ca}" cannot be read: ${reasonOf(err)}`)
  }
}
