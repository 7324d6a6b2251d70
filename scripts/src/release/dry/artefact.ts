import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { textTable } from 'surehook/output/text-table'
import { localDir } from '../../lib/paths.ts'

/** Where the dry run writes everything. */
export const releaseDir = `${localDir}/release`

/** One thing that a release publishes. `file` is in `releaseDir`; images stay in Docker. */
export type Artefact = {
  kind: 'package' | 'image' | 'chart' | 'sbom'
  name: string
  file?: string
  bytes: number
  /** `sha256:…` of the file, or the id of the image. */
  digest: string
}

export async function artefactOf(kind: Artefact['kind'], path: string): Promise<Artefact> {
  const content = await readFile(path)
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  const file = relative(releaseDir, path)
  return { kind, name: basename(path), file, bytes: content.length, digest }
}

export function artefactTable(artefacts: readonly Artefact[]): string[] {
  const rows = artefacts.map(({ kind, name, bytes, digest }) => [
    kind,
    name,
    `${(bytes / 1_000).toFixed(1)} kB`,
    digest,
  ])
  return textTable([['kind', 'name', 'size', 'digest'], ...rows])
}
