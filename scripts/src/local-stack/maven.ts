import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { cacheDir, repoRoot } from '../lib/paths.ts'

type ArtefactName = 'kafka' | 'registry' | 'redis' | 'tiered-storage'

export type MavenFetch = {
  name: ArtefactName
  goal: string
  options?: string[]
  log: (line: string) => void
}

/** Returns the directory with the artifacts of the component's pom, and fetches them if needed. */
export async function fetchWithMaven({ name, goal, options, log }: MavenFetch): Promise<string> {
  const pom = pomOf(name)
  const target = await targetOf(name)
  if (existsSync(target)) return target
  // Maven caches its unpacking beside the pom and would not repeat it, so it works on a copy.
  const work = `${target}.${process.pid}`
  await mkdir(work, { recursive: true })
  try {
    await copyFile(pom, `${work}/pom.xml`)
    const args = ['-B', '-ntp', '-q', '-f', `${work}/pom.xml`, `dependency:${goal}-dependencies`]
    await run('mvn', [...args, `-DoutputDirectory=${work}/out`, ...(options ?? [])], name)
    await moveIntoPlace(`${work}/out`, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  log(`fetched ${name}`)
  return target
}

/** Throws an explanation if Maven is needed but missing. */
export async function requireMaven(env: NodeJS.ProcessEnv): Promise<void> {
  const targets = await Promise.all((['kafka', 'registry', 'redis'] as const).map(targetOf))
  if (targets.every((target) => existsSync(target))) return
  const places = (env['PATH'] ?? '').split(delimiter)
  if (places.some((place) => existsSync(join(place, 'mvn')))) return
  throw new Error('Maven (the command "mvn") is not installed; it fetches Kafka and others')
}

const pomOf = (name: ArtefactName) => `${repoRoot}/scripts/local-stack/${name}/pom.xml`

async function targetOf(name: ArtefactName): Promise<string> {
  // An image has them where the variable says.
  const given = process.env[`LOCAL_${name.toUpperCase()}_DIR`]
  if (given) return given
  const version = createHash('sha256')
    .update(await readFile(pomOf(name)))
    .digest('hex')
    .slice(0, 12)
  return `${cacheDir}/${name}-${version}`
}

/** If another process was faster, its result stays. */
export async function moveIntoPlace(partial: string, target: string): Promise<void> {
  try {
    await rename(partial, target)
  } catch (err) {
    if (!existsSync(target)) throw err
    await rm(partial, { recursive: true, force: true })
  }
}

function run(command: string, args: string[], name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', (err: NodeJS.ErrnoException) =>
      reject(
        err.code === 'ENOENT'
          ? new Error(`Maven (the command "mvn") is not installed; it fetches ${name}`)
          : err,
      ),
    )
    child.once('close', (code) => {
      if (code === 0) return resolve()
      const reason = output.split('\n').find((line) => line.includes('ERROR')) ?? output
      reject(new Error(`fetching ${name} with Maven failed (is the network there?): ${reason}`))
    })
  })
}
