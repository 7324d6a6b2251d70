import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { certificateVariables as variables } from '@surehook/contracts/certificate-variables'
import * as z from 'zod'
import type { Metrics } from '../telemetry/metrics.ts'

const file = z.string().optional()

type Variable = (typeof variables)[keyof typeof variables]

export const certificateEnv = Object.fromEntries(
  Object.values(variables).map((name) => [name, file]),
) as Record<Variable, typeof file>

export type CertificateFiles = Readonly<Record<string, string>>

export function certificateFiles(
  read: Partial<Record<Variable, string | undefined>>,
): CertificateFiles {
  const given = Object.entries(variables).map(([name, variable]) => [name, read[variable]] as const)
  return Object.fromEntries(
    given.filter((entry): entry is [keyof typeof variables, string] => entry[1] !== undefined),
  )
}

/** Reads the files on every scrape, because a file can be replaced while the process runs. */
export function observeCertificates(metrics: Metrics, files: CertificateFiles): void {
  metrics.gauge({
    name: 'surehook_certificate_not_after_timestamp_seconds',
    help: 'When the first certificate of a configured file ends. 0: the file cannot be read',
    labelNames: ['certificate'],
    async collect() {
      const ends = Object.entries(files).map(async ([certificate, path]) => {
        this.set({ certificate }, await firstEnd(path))
      })
      await Promise.all(ends)
    },
  })
}

const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** The certificates of a text in PEM. Throws if one cannot be read. */
export const certificatesOf = (text: string): X509Certificate[] =>
  (text.match(pem) ?? []).map((certificate) => new X509Certificate(certificate))

/** Reports an unreadable file as expired. */
async function firstEnd(path: string): Promise<number> {
  try {
    const certificates = certificatesOf(await readFile(path, 'utf8'))
    const ends = certificates.map(({ validToDate }) => validToDate.getTime() / 1_000)
    return ends.length === 0 ? 0 : Math.min(...ends)
  } catch {
    return 0
  }
}
