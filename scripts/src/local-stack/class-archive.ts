import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cacheDir } from '../lib/paths.ts'
import { freePort } from '../lib/ports.ts'
import type { ProcessHandle, ProcessOwner } from '../lib/processes/managed-process.ts'
import { openProcessGroup } from '../lib/processes/process-group.ts'
import { requireJava } from './java.ts'
import { moveIntoPlace } from './maven.ts'

export type ClassArchiveOptions = {
  name: 'kafka' | 'registry'
  /** The directory of the component's jars. */
  home: string
  log: (line: string) => void
  /** Starts the component with these flags of the JVM. */
  start: (trial: Trial) => Promise<ProcessHandle>
}

export type Trial = {
  dir: string
  port: number
  owner: ProcessOwner
  keepAlive: boolean
  archiveFlags: string[]
  stopTimeoutMs: number
}

/** The JVM writes the archive at its end, which takes long on a busy machine. */
const stopTimeoutMs = 90_000

/**
 * Returns the flags with which a JVM reads its classes from an archive. This reduces the start of
 * the broker from 8–16 s to 2–3 s, and of the registry from 2.9 s of CPU to 1.3 s. One trial run
 * per checkout makes the archive. A JDK without support for it only starts the component more
 * slowly.
 */
export async function classArchiveFlags(options: ClassArchiveOptions): Promise<string[]> {
  const { home } = options
  const java = await requireJava()
  const key = createHash('sha256').update(java).update(home).digest('hex').slice(0, 8)
  const archive = `${home}.${key}.jsa`
  const isThere = existsSync(archive) || (await makeArchive(options, archive))
  return isThere ? [`-XX:SharedArchiveFile=${archive}`, ...readingFlags] : []
}

const readingFlags = [
  // Without it, a JVM that cannot read the archive warns on the standard output.
  '-Xlog:cds=off',
  // Newer JVMs move the archive to a random address by default, and so have a copy of every page.
  // At its own address, half of the pages stay those of the file, which the kernel can drop and
  // JVMs share: 25 to 30 MiB less memory of a JVM's own.
  '-XX:+UnlockDiagnosticVMOptions',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:ArchiveRelocationMode=0',
]

async function makeArchive(
  { name, log, start }: ClassArchiveOptions,
  archive: string,
): Promise<boolean> {
  const startedAt = performance.now()
  const dir = await mkdtemp(`${cacheDir}/${name}-trial-`)
  const group = await openProcessGroup(dir)
  try {
    const made = `${dir}/classes.jsa`
    const archiveFlags = [`-XX:ArchiveClassesAtExit=${made}`, '-Xlog:cds=off']
    const common = { dir, owner: { group, log }, keepAlive: false, archiveFlags, stopTimeoutMs }
    const trial = await start({ ...common, port: await freePort() })
    await trial.stop()
    if (!existsSync(made)) return false
    await moveIntoPlace(made, archive)
    log(
      `made the class archive of ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
    )
    return true
  } finally {
    await group.close()
    await rm(dir, { recursive: true, force: true })
  }
}
