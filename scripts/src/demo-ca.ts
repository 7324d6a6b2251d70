import { randomBytes, webcrypto } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
// The certificate library injects its parts by decorators and wants this loaded before it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000
const renewBeforeMs = 30 * dayMs

export type DemoCa = { caFile: string; certificateFile: string; keyFile: string }

/**
 * A certificate authority of this checkout and a certificate for receivers on this machine, signed by
 * it. Made once and again a month before it ends; the authority's own key is never written down.
 */
export async function ensureDemoCa(dir: string): Promise<DemoCa> {
  const files = {
    caFile: `${dir}/ca.pem`,
    certificateFile: `${dir}/server.pem`,
    keyFile: `${dir}/server.key`,
  }
  if (await isCurrent(files.certificateFile)) return files
  const { ca, certificate, key } = await issue()
  const partial = `${dir}.new`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: 0o700 })
  await writeFile(`${partial}/ca.pem`, ca)
  await writeFile(`${partial}/server.pem`, certificate)
  await writeFile(`${partial}/server.key`, key, { mode: 0o600 })
  await rm(dir, { recursive: true, force: true })
  await rename(partial, dir)
  return files
}

async function isCurrent(file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const { notAfter } = new x509.X509Certificate(await readFile(file, 'utf8'))
  return notAfter.getTime() - Date.now() > renewBeforeMs
}

async function issue(): Promise<{ ca: string; certificate: string; key: string }> {
  const caKeys = await newKeys()
  const serverKeys = await newKeys()
  const lifetime = {
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 365 * dayMs),
  }
  const ca = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...lifetime,
      serialNumber: serialNumber(),
      name: 'CN=Surehook demo CA',
      keys: caKeys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    },
    webcrypto,
  )
  const certificate = await x509.X509CertificateGenerator.create(
    {
      ...lifetime,
      serialNumber: serialNumber(),
      subject: 'CN=localhost',
      issuer: ca.subject,
      publicKey: serverKeys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: algorithm,
      extensions: serverExtensions(),
    },
    webcrypto,
  )
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey)
  return {
    ca: ca.toString('pem'),
    certificate: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  }
}

function serverExtensions(): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
    ]),
  ]
}

/** Positive and at most 20 bytes, as certificates want it. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01
  return bytes.toString('hex')
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}
