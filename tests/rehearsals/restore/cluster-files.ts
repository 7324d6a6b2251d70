import { spawnSync } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresIdentity, postgresPlace } from '@surehook/scripts/local-stack/postgres-home'
import { Client } from 'pg'

/** The folders of a cluster's data, its WAL archive and its backup. */
export type ClusterFiles = { data: string; archive: string; backup: string }

export async function clusterFiles(stackDir: string): Promise<ClusterFiles> {
  await mkdir(stackDir, { recursive: true })
  const place = await postgresPlace(stackDir, postgresIdentity())
  const files = {
    data: join(place, 'postgres'),
    archive: join(place, 'archive'),
    backup: join(place, 'backup'),
  }
  for (const dir of [files.archive, files.backup]) await ownDir(dir)
  return files
}

/** The settings for point-in-time recovery. */
export const archiving = ({ archive }: ClusterFiles): Record<string, string> => ({
  archive_mode: 'on',
  archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  restore_command: `cp ${archive}/%f %p`,
  // A server that answers queries during recovery invalidates slots that are behind.
  hot_standby: 'off',
})

/** Takes a base backup of a running cluster like `pg_basebackup`, including its slots. */
export async function backUp(databaseUrl: string, { data, backup }: ClusterFiles): Promise<void> {
  const db = new Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    await db.query(`select pg_backup_start('rehearsal', true)`)
    for (const name of await readdir(data)) {
      if (name === 'pg_wal' || name.startsWith('postmaster.')) continue
      copy(join(data, name), join(backup, name))
    }
    const { rows } = await db.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    const label = join(backup, 'backup_label')
    await writeFile(label, rows[0]?.labelfile ?? '')
    await own(label)
    await ownDir(join(backup, 'pg_wal'))
  } finally {
    await db.end()
  }
}

/** Replaces the stopped cluster by the backup. It recovers at its next start. */
export async function restore(files: ClusterFiles, wal: 'kept' | 'lost'): Promise<void> {
  const { data, backup } = files
  const kept = `${data}.wal`
  if (wal === 'kept') copy(join(data, 'pg_wal'), kept)
  await rm(data, { recursive: true })
  copy(backup, data)
  if (wal === 'kept') {
    await rm(join(data, 'pg_wal'), { recursive: true })
    copy(kept, join(data, 'pg_wal'))
    await rm(kept, { recursive: true })
  }
  await copyArchived(files)
  const signal = join(data, 'recovery.signal')
  await writeFile(signal, '')
  await own(signal)
}

/**
 * Copies archived WAL files from before the backup: recovery does not fetch them, but the backup's
 * slots still read them.
 */
async function copyArchived(files: ClusterFiles): Promise<void> {
  const { data, archive } = files
  const start = await firstWalFile(files)
  const walDir = join(data, 'pg_wal')
  const present = new Set(await readdir(walDir))
  if (!present.has('archive_status')) await ownDir(join(walDir, 'archive_status'))
  for (const name of await readdir(archive)) {
    if (!/^[0-9A-F]{24}$/.test(name) || name >= start || present.has(name)) continue
    copy(join(archive, name), join(walDir, name))
    // Without it the server would archive the file again, which the archive refuses.
    const done = join(walDir, 'archive_status', `${name}.done`)
    await writeFile(done, '')
    await own(done)
  }
}

/** Returns the WAL file at which the backup begins. */
export async function firstWalFile({ backup }: Pick<ClusterFiles, 'backup'>): Promise<string> {
  const label = await readFile(join(backup, 'backup_label'), 'utf8')
  const [, name] = /^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$/m.exec(label) ?? []
  if (name === undefined) throw new Error('the backup does not say where it begins')
  return name
}

/** Files may disappear in a running cluster; the WAL restores them. */
function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  const faults = stderr.split('\n').filter((line) => line !== '' && !/No such file/.test(line))
  if (status !== 0 && faults.length > 0) throw new Error(faults.join('\n'))
}

async function ownDir(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await own(dir)
}

async function own(path: string): Promise<void> {
  const identity = postgresIdentity()
  if (identity !== undefined) await chown(path, identity.uid, identity.gid)
}
