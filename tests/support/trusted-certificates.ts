import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Authority,
  type Certificates,
  openAuthority,
} from '@surehook/scripts/receiver/certificates'

export type TrustedCertificates = AsyncDisposable & {
  readonly authority: Authority
  /** For receivers at localhost. */
  readonly certificates: Certificates
  /** The variables with which services trust the authority. */
  readonly env: NodeJS.ProcessEnv
}

/** Makes an authority that the services of a test can trust, and certificates of it. */
export async function openTrustedCertificates(): Promise<TrustedCertificates> {
  const authority = await openAuthority()
  const dir = await mkdtemp(join(tmpdir(), 'surehook-e2e-'))
  const caFile = join(dir, 'ca.pem')
  await writeFile(caFile, authority.ca)
  return {
    authority,
    certificates: await authority.issue(),
    env: { WEBHOOK_EXTRA_CA_FILE: caFile },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}
