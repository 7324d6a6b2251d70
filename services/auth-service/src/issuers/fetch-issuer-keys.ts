import { bareIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import { httpsUrlFault } from '@surehook/contracts/http/https-url'
import { type getIssuerKeys, PublicKey } from '@surehook/contracts/http/issuer-keys'
import type { ReplyOf } from '@surehook/contracts/operation'
import * as z from 'zod'
import type { GuardedHttps } from '../outbound/guarded-https.ts'

export type IssuerKeys = ReplyOf<typeof getIssuerKeys>

export type FetchIssuerKeysOptions = {
  https: Pick<GuardedHttps, 'send'>
  /** Of discovery and key set together. */
  withinMs?: number
}

const maxBytes = 256 * 1024
const maxKeys = 100

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.string() })
const KeySet = z.object({ keys: z.array(z.unknown()).max(maxKeys) })

type Fetching = FetchIssuerKeysOptions & { tenant: string; signal: AbortSignal }

/**
 * Fetches the keys of an OpenID provider: its metadata first (OpenID Connect Discovery 1.0 §4, or RFC
 * 8414 §3), then the key set that they name. Keys of other forms are left out.
 */
export async function fetchIssuerKeys(
  options: FetchIssuerKeysOptions,
  issuer: string,
  tenant: string,
): Promise<IssuerKeys> {
  const signal = AbortSignal.timeout(options.withinMs ?? 4_000)
  const fetching = { ...options, tenant, signal }
  const { jwks_uri: url } = await metadataOf(issuer, fetching)
  const fault = httpsUrlFault(url)
  if (fault !== null) throw new Error(`jwks_uri ${fault}`)
  const answer = await getJson(url, fetching)
  if (answer === null) throw new Error('The address of the key set answered 404')
  const { keys } = KeySet.parse(answer)
  return { keys: keys.flatMap((key) => PublicKey.safeParse(key).data ?? []) }
}

async function metadataOf(issuer: string, fetching: Fetching) {
  for (const url of metadataUrls(issuer)) {
    const answer = await getJson(url, fetching)
    if (answer === null) continue
    const metadata = Metadata.parse(answer)
    // Otherwise one issuer could speak for another (RFC 8414 §3.3).
    if (bareIssuer(metadata.issuer) !== bareIssuer(issuer)) {
      throw new Error('The metadata name another issuer')
    }
    return metadata
  }
  throw new Error('The issuer has no metadata')
}

function metadataUrls(issuer: string): string[] {
  const bare = bareIssuer(issuer)
  const { origin, pathname } = new URL(bare)
  const path = pathname === '/' ? '' : pathname
  return [
    `${bare}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

/** Resolves with `null` for 404. */
async function getJson(url: string, { https, tenant, signal }: Fetching): Promise<unknown> {
  const headers = { accept: 'application/json' }
  const answer = await https.send({ method: 'GET', url, headers, tenant, signal })
  const { statusCode: status } = answer
  if (status !== 200) {
    answer.destroy()
    if (status === 404) return null
    throw new Error(`${new URL(url).pathname} answered ${status}`)
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
