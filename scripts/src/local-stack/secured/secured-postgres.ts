import { chmod, chown, copyFile, mkdir, writeFile } from 'node:fs/promises'
import type { Identity } from '../postgres-home.ts'
import type { Credentials } from './credentials.ts'

/** Settings of a server that accepts only TLS. `dir` is readable for it. */
export async function securedSettings(
  dir: string,
  { certificateFile, keyFile }: Credentials,
  identity: Identity | undefined,
): Promise<Record<string, string>> {
  const tls = `${dir}/postgres-tls`
  await mkdir(tls, { recursive: true })
  const hba = `${tls}/pg_hba.conf`
  await writeFile(hba, 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  await copyFile(certificateFile, `${tls}/server.pem`)
  await copyFile(keyFile, `${tls}/server.key`)
  await chmod(`${tls}/server.key`, 0o600)
  if (identity) {
    for (const path of [tls, hba, `${tls}/server.pem`, `${tls}/server.key`]) {
      await chown(path, identity.uid, identity.gid)
    }
  }
  return {
    ssl: 'on',
    ssl_cert_file: `${tls}/server.pem`,
    ssl_key_file: `${tls}/server.key`,
    hba_file: hba,
  }
}
