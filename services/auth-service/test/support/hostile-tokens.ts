import { createHmac, generateKeyPairSync } from 'node:crypto'
import {
  base64url,
  CompactEncrypt,
  CompactSign,
  type CryptoKey,
  importJWK,
  importPKCS8,
} from 'jose'
import type { StoredKey } from './stored-keys.ts'

export type Genuine = {
  /** Valid tokens, one signed and one encrypted. */
  signed: string
  encrypted: string
  /** The keys that the tokens were made with. */
  sig: StoredKey
  enc: StoredKey
}

type Tokens = Record<string, string>

/** Hostile tokens, named after the attack that each tries. */
export async function hostileTokens(genuine: Genuine): Promise<Tokens> {
  return {
    ...malformed(genuine),
    ...confused(genuine),
    ...(await withHeaders(genuine)),
    ...(await withClaims(genuine)),
    ...(await strangers(genuine)),
    ...brokenCiphertexts(genuine),
    ...(await sealed(genuine)),
  }
}

const text = (value: object) => base64url.encode(JSON.stringify(value))

const claimsOf = ({ signed }: Genuine): object =>
  JSON.parse(Buffer.from(signed.split('.')[1] ?? '', 'base64url').toString())

type Signing = { header?: object; payload?: object | string; key?: CryptoKey }

/**
 * Signs with the service's own key unless another is given, so that only the requested part is
 * wrong.
 */
function sign(genuine: Genuine, { header = {}, payload, key = genuine.sig.key }: Signing) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload ?? claimsOf(genuine))
  return new CompactSign(Buffer.from(body))
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: genuine.sig.kid, ...header })
    .sign(key, { crit: { 'urn:x': true } })
}

/** Flips one bit. */
function flip(part: string): string {
  const bytes = Buffer.from(part, 'base64url')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64url')
}

function malformed({ signed }: Genuine): Tokens {
  const [header = '', payload = '', signature = ''] = signed.split('.')
  const next = String.fromCharCode(signed.charCodeAt(signed.length - 1) + 1)
  return {
    'no parts': 'x',
    'two parts': `${header}.${payload}`,
    'four parts': `${signed}.x`,
    'no signature': `${header}.${payload}.`,
    'another payload': `${header}.${text({ roles: ['admin'] })}.${signature}`,
    'a flipped signature': `${header}.${payload}.${flip(signature)}`,
    'another spelling of the signature': `${signed.slice(0, -1)}${next}`,
    padded: `${signed}==`,
    'very long': `${header}.${base64url.encode('x'.repeat(6_000))}.${signature}`,
    'a header that is no JSON': `${base64url.encode('x')}.${payload}.${signature}`,
    'a header that is null': `${base64url.encode('null')}.${payload}.${signature}`,
  }
}

function confused({ signed, sig }: Genuine): Tokens {
  const [, payload = '', signature = ''] = signed.split('.')
  const none = { alg: 'none', typ: 'at+jwt', kid: sig.kid }
  const hmac = (secret: string) => {
    const header = text({ alg: 'HS256', typ: 'at+jwt', kid: sig.kid })
    const tag = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')
    return `${header}.${payload}.${tag}`
  }
  return {
    none: `${text(none)}.${payload}.`,
    'none with a signature': `${text(none)}.${payload}.${signature}`,
    'none in capitals': `${text({ ...none, alg: 'NONE' })}.${payload}.${signature}`,
    'hmac with the modulus': hmac(sig.publicKey.n),
    'hmac with the JWK': hmac(JSON.stringify(sig.publicKey)),
    'hmac with nothing': hmac(''),
  }
}

async function withHeaders(genuine: Genuine): Promise<Tokens> {
  const { sig, enc } = genuine
  const ours = { kty: 'RSA', ...sig.publicKey }
  const under = async (alg: string) =>
    sign(genuine, { header: { alg }, key: await importPKCS8(sig.pem, alg) })
  const headers: Record<string, object> = {
    'our key, brought along': { jwk: ours },
    jku: { jku: 'https://evil.example/jwks.json' },
    x5u: { x5u: 'https://evil.example/cert.pem' },
    x5c: { x5c: ['MIIB'] },
    crit: { crit: ['urn:x'], 'urn:x': 1 },
    zip: { zip: 'DEF' },
    'an unknown kid': { kid: 'nobody' },
    'a kid like a path': { kid: '../../../../dev/null' },
    'a kid like SQL': { kid: "' or '1'='1" },
    'a kid that is no text': { kid: 1 },
    'the kid of the other use': { kid: enc.kid },
    'no kid': { kid: undefined },
    'the type of an ID token': { typ: 'JWT' },
    'no type': { typ: undefined },
  }
  const tokens: Tokens = { RS512: await under('RS512'), PS256: await under('PS256') }
  for (const [name, header] of Object.entries(headers))
    tokens[name] = await sign(genuine, { header })
  return tokens
}

async function withClaims(genuine: Genuine): Promise<Tokens> {
  const claims = claimsOf(genuine) as { aud: string }
  const now = Math.floor(Date.now() / 1_000)
  const payloads: Record<string, object | string> = {
    'no JSON': 'hello',
    'an array': '[1]',
    null: 'null',
    'no expiry': { ...claims, exp: undefined },
    'an expiry as text': { ...claims, exp: String(now + 600) },
    'not valid yet': { ...claims, nbf: now + 600 },
    'from the future': { ...claims, iat: now + 600 },
    'another issuer': { ...claims, iss: 'https://evil.example' },
    'another audience': { ...claims, aud: 'other/master' },
    'many audiences': { ...claims, aud: [claims.aud] },
    'no session': { ...claims, sid: undefined },
    'roles as text': { ...claims, roles: 'admin' },
  }
  const tokens: Tokens = {}
  for (const [name, payload] of Object.entries(payloads)) {
    tokens[name] = await sign(genuine, { payload })
  }
  return tokens
}

async function stranger() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { key: await importPKCS8(pem, 'RS256'), jwk: publicKey.export({ format: 'jwk' }) }
}

async function strangers(genuine: Genuine): Promise<Tokens> {
  const { key, jwk } = await stranger()
  return {
    'a stranger’s key': await sign(genuine, { key }),
    'a stranger’s key, brought along': await sign(genuine, { key, header: { jwk } }),
  }
}

function brokenCiphertexts({ encrypted }: Genuine): Tokens {
  const [header = '', key = '', iv = '', ciphertext = '', tag = ''] = encrypted.split('.')
  return {
    'JWE, a flipped key': [header, flip(key), iv, ciphertext, tag].join('.'),
    'JWE, a flipped vector': [header, key, flip(iv), ciphertext, tag].join('.'),
    'JWE, a flipped text': [header, key, iv, flip(ciphertext), tag].join('.'),
    'JWE, a flipped tag': [header, key, iv, ciphertext, flip(tag)].join('.'),
    'JWE, a short tag': [header, key, iv, ciphertext, tag.slice(0, 4)].join('.'),
    'JWE, no key': [header, '', iv, ciphertext, tag].join('.'),
    'JWE, empty parts': '....',
  }
}

async function sealed(genuine: Genuine): Promise<Tokens> {
  const { signed, encrypted, enc, sig } = genuine
  const { key } = await stranger()
  const payload = signed.split('.')[1] ?? ''
  const seal = async (inner: string, header: { alg?: string } & object = {}) => {
    const alg = header.alg ?? 'RSA-OAEP-256'
    const members = { alg, enc: 'A256GCM', cty: 'JWT', kid: enc.kid, ...header }
    return new CompactEncrypt(Buffer.from(inner))
      .setProtectedHeader(members)
      .encrypt(await importJWK({ kty: 'RSA', ...enc.publicKey }, alg))
  }
  return {
    'JWE without a signature inside': await seal(JSON.stringify(claimsOf(genuine))),
    'JWE with a none inside': await seal(`${text({ alg: 'none' })}.${payload}.`),
    'JWE in a JWE': await seal(encrypted),
    'JWE with a stranger’s token inside': await seal(await sign(genuine, { key })),
    'JWE, RSA-OAEP': await seal(signed, { alg: 'RSA-OAEP' }),
    'JWE, A128GCM': await seal(signed, { enc: 'A128GCM' } as object),
    'JWE, A256CBC-HS512': await seal(signed, { enc: 'A256CBC-HS512' } as object),
    'JWE, no cty': await seal(signed, { cty: undefined } as object),
    'JWE, unknown kid': await seal(signed, { kid: 'nobody' } as object),
    'JWE, kid of the other use': await seal(signed, { kid: sig.kid } as object),
    'JWE, jku': await seal(signed, { jku: 'https://evil.example' } as object),
  }
}
