// The library's CommonJS build must be loaded after it.
import 'reflect-metadata'
import { randomUUID, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** PEM texts: a private authority, and a server certificate for localhost that it issued. */
export type Certificates = { ca: string; cert: string; key: string }

export type CertificateOptions = {
  /** The DNS names and addresses of the server certificate. */
  names?: readonly string[]
  notAfter?: Date
  /** The keys of the server certificate. The default is new ones. */
  keys?: webcrypto.CryptoKeyPair
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const localhost = ['localhost', '127.0.0.1', '::1']
const tenYearsMs = 10 * 365 * 24 * 3_600_000

export type Authority = {
  ca: string
  /** Issues a further server certificate. */
  issue(options?: CertificateOptions): Promise<Certificates>
}

/** Makes a new authority and one server certificate. The authority's key is discarded at once. */
export async function createCertificates(options: CertificateOptions = {}): Promise<Certificates> {
  return (await openAuthority()).issue(options)
}

/** A private authority. Its key stays in this process. */
export async function openAuthority(): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto)
  const authorityKeys = await newKeys()
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    // Unique, because of two authorities with one name in a trust store, verifiers find only the
    // first.
    name: `CN=Surehook local CA ${randomUUID()}`,
    // Early enough for certificates that have already expired.
    notBefore: new Date(Date.now() - tenYearsMs),
    notAfter: new Date(Date.now() + tenYearsMs),
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    ca: authority.toString('pem'),
    issue: (options) => issue(authority, authorityKeys.privateKey, options),
  }
}

async function issue(
  authority: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  {
    names = localhost,
    notAfter = new Date(Date.now() + tenYearsMs),
    keys,
  }: CertificateOptions = {},
): Promise<Certificates> {
  const serverKeys = keys ?? (await newKeys())
  const server = await x509.X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? 'localhost'}`,
    issuer: authority.subject,
    notBefore: new Date(Math.min(Date.now(), notAfter.getTime()) - 24 * 3_600_000),
    notAfter,
    publicKey: serverKeys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map(alternativeName)),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey)
  return {
    ca: authority.toString('pem'),
    cert: server.toString('pem'),
    key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}

/** Makes a key pair for a server certificate. */
export function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function alternativeName(name: string): { type: 'dns' | 'ip'; value: string } {
  return { type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns', value: name }
}
