import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createCertificates } from './certificates.ts'

/** The names of this machine, for local processes and for containers on it. */
const names = ['localhost', '127.0.0.1', '::1', 'host.docker.internal']

export type DemoCa = { caFile: string; certificateFile: string; keyFile: string }

const renewBeforeMs = 30 * 86_400_000

/**
 * Returns this checkout's authority and a certificate under it for local receivers. Both are made
 * once and kept.
 */
export async function ensureDemoCa(dir: string): Promise<DemoCa> {
  const files = {
    caFile: `${dir}/ca.pem`,
    certificateFile: `${dir}/server.pem`,
    keyFile: `${dir}/server.key`,
  }
  if (await isCurrent(files.certificateFile)) return files
  const { ca, cert, key } = await createCertificates({ names })
  const partial = `${dir}.new`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: 0o700 })
  await writeFile(`${partial}/ca.pem`, ca)
  await writeFile(`${partial}/server.pem`, cert)
  await writeFile(`${partial}/server.key`, key, { mode: 0o600 })
  await rm(dir, { recursive: true, force: true })
  await rename(partial, dir)
  return files
}

async function isCurrent(file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const certificate = new X509Certificate(await readFile(file))
  // A certificate of an earlier version has fewer names.
  const hasAllNames = names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
  )
  return hasAllNames && Date.parse(certificate.validTo) - Date.now() > renewBeforeMs
}
