import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { startProcess } from '../lib/processes/managed-process.ts'
import { type Component, type ComponentOptions, environment } from './component.ts'
import {
  type Identity,
  postgresBinaries,
  postgresIdentity,
  postgresPlace,
} from './postgres-home.ts'
import { asPostgresFlags, postgresSettings } from './postgres-settings.ts'
import { securedSettings } from './secured/secured-postgres.ts'

const settings = { ...postgresSettings, listen_addresses: '127.0.0.1', unix_socket_directories: '' }

type Cluster = { bin: string; dataDir: string; identity: Identity | undefined }

export async function startPostgres(options: ComponentOptions): Promise<Component> {
  const { dir, port, owner, secured } = options
  const identity = postgresIdentity()
  const [place, bin] = await Promise.all([postgresPlace(dir, identity), postgresBinaries(identity)])
  const dataDir = `${place}/postgres`
  const password = await clusterPassword(dir)
  if (!existsSync(dataDir)) await createCluster({ bin, dataDir, identity }, password)
  const tls = secured && (await securedSettings(place, secured, identity))
  const flags = asPostgresFlags({ ...settings, ...tls, ...options.settings, port })
  const process = await startProcess(
    {
      name: 'postgres',
      command: `${bin}/postgres`,
      args: ['-D', dataDir, ...flags],
      identity,
      cwd: '/',
      marker: dataDir,
      logFile: `${dir}/postgres.log`,
      // "Fast" shut-down: ends open sessions instead of waiting for them.
      stopSignal: 'SIGINT',
      isReady: (pid) => saysReady(dataDir, pid),
      readyTimeoutMs: 300_000,
      keepAlive: options.keepAlive,
      ...environment(options),
    },
    owner,
  )
  const [host, query] = secured
    ? ['localhost', `?sslmode=verify-full&sslrootcert=${secured.caFile}`]
    : ['127.0.0.1', '']
  return { url: `postgres://postgres:${password}@${host}:${port}/surehook${query}`, process }
}

/**
 * The server writes its state into the last line of its pid file, and removes the file at its end.
 */
async function saysReady(dataDir: string, pid: number): Promise<boolean> {
  const text = await readFile(`${dataDir}/postmaster.pid`, 'utf8').catch(missingIsEmpty)
  const lines = text.split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function missingIsEmpty(err: NodeJS.ErrnoException): string {
  if (err.code === 'ENOENT') return ''
  throw err
}

async function clusterPassword(dir: string): Promise<string> {
  const file = `${dir}/postgres-password`
  if (!existsSync(file)) await writeFile(file, randomBytes(18).toString('hex'), { mode: 0o600 })
  return readFile(file, 'utf8')
}

async function createCluster(cluster: Cluster, password: string): Promise<void> {
  const { bin, identity, dataDir } = cluster
  const partial = `${dataDir}.new`
  const passwordFile = `${dataDir}.initdb`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (identity) {
    await chown(partial, identity.uid, identity.gid)
    await chown(passwordFile, identity.uid, identity.gid)
  }
  const access = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const flags = ['--encoding=UTF8', '--locale=C', '--no-sync', ...access]
  await promisify(execFile)(`${bin}/initdb`, ['-D', partial, ...flags], { ...identity, cwd: '/' })
  await rm(passwordFile)
  await createDatabase({ ...cluster, dataDir: partial })
  await rename(partial, dataDir)
}

/** Uses the server's single-user mode, because no client program is available. */
async function createDatabase({ bin, dataDir, identity }: Cluster): Promise<void> {
  const args = ['--single', '-D', dataDir, 'postgres']
  const server = spawn(`${bin}/postgres`, args, {
    ...identity,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let errors = ''
  server.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  server.stdin.end('create database surehook;\n')
  const [code] = (await once(server, 'close')) as [number | null]
  if (code !== 0) throw new Error(`creating the database failed: ${errors}`)
}
