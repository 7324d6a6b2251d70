import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { ownerOf } from '@surehook/scripts/lib/processes/process-group'
import type { Version } from '@surehook/scripts/versions/check-out'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { ScenarioFigures } from './medians.ts'

/** Long, because the first start of a checkout installs packages and builds everything. */
const startWithinMs = 600_000

/** Starts the version's system, runs this checkout's scenarios on it, and stops it. */
export async function measure(
  { dir }: Version,
  benchArgs: readonly string[],
): Promise<ScenarioFigures> {
  await using _system = await start(dir)
  const results = await mkdtemp(join(tmpdir(), 'surehook-compare-'))
  try {
    const file = join(results, 'printed.json')
    const entry = `${repoRoot}/bench/src/main.ts`
    const args = ['--conditions=source', entry, ...benchArgs, '--at', dir, '--json', file]
    const bench = spawn(process.execPath, args, { stdio: 'inherit' })
    const [code] = (await once(bench, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the bench ended with ${code}`)
    return JSON.parse(await readFile(file, 'utf8')) as ScenarioFigures
  } finally {
    await rm(results, { recursive: true })
  }
}

async function start(dir: string): Promise<AsyncDisposable> {
  const endpoints = `${dir}/.local/endpoints.json`
  if ((await ownerOf(`${dir}/.local/system`)) !== null) {
    throw new Error(`a system runs from ${dir}: stop it first`)
  }
  // A killed system leaves the file behind.
  await rm(endpoints, { force: true })
  const args = await startArguments(dir)
  // A process for each part, because the bench measures processes.
  const each = { START_WITH: 'local', SUREHOOK_MODE: 'separate' }
  const env = { ...process.env, ...each, PORT: String(await freePort()) }
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const isUp = () => {
    if (child.exitCode !== null) throw new Error(`the system of ${dir} did not start`)
    return existsSync(endpoints)
  }
  await waitUntil(isUp, { what: 'the system', timeoutMs: startWithinMs, everyMs: 200 })
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * Returns the arguments of `node` from the version's package.json, because versions keep the
 * command in different files.
 */
async function startArguments(dir: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(`${dir}/package.json`, 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.split(' ').slice(1)
}
