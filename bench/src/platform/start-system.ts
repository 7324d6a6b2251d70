import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { freePort } from '@surehook/scripts/lib/ports'
import { ownerOf } from '@surehook/scripts/lib/processes/process-group'
import type { Mode } from '@surehook/scripts/system/service-catalog'
import { waitUntil } from '@surehook/service-kit/wait-until'

/** Long, because the first start of a checkout installs packages and builds everything. */
const startWithinMs = 600_000

/** Starts the system of a checkout, empty of demonstrations, and waits until it is ready. */
export async function startSystem(dir: string, mode: Mode): Promise<AsyncDisposable> {
  const endpoints = `${dir}/.local/endpoints.json`
  if ((await ownerOf(`${dir}/.local/system`)) !== null) {
    throw new Error(`a system runs from ${dir}: stop it first`)
  }
  // A killed system leaves the file behind.
  await rm(endpoints, { force: true })
  const args = await startArguments(dir)
  // In containers, Kafka and PostgreSQL are not measured.
  const shape = { START_WITH: 'local', SUREHOOK_MODE: mode, SUREHOOK_DEMO: '0' }
  const env = { ...process.env, ...shape, PORT: String(await freePort()) }
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
  const words = scripts.start.split(' ')
  return words.slice(words.indexOf('node') + 1)
}
