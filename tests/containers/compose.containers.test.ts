import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { findCompose } from '@surehook/scripts/compose/docker-commands'
import { writeComposeFiles } from '@surehook/scripts/compose/write-compose-files'
import { buildImages } from '@surehook/scripts/images/build-images'
import { imageNames } from '@surehook/scripts/images/image-names'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { runCommand } from '@surehook/scripts/lib/run-command'
import { until } from '@surehook/testing/until'

let compose: readonly string[]
let env: NodeJS.ProcessEnv
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'surehook-compose-'))
  const ports = ['PORT', 'KAFKA_PORT', 'REGISTRY_PORT', 'POSTGRES_PORT', 'REDIS_PORT']
  env = {
    ...Object.fromEntries(
      await Promise.all(ports.map(async (name) => [name, String(await freePort())])),
    ),
    COMPOSE_FILES_DIR: dir,
    COMPOSE_PROJECT_NAME: `surehook-check-${process.pid}`,
    IMAGE_TAG: 'check',
    WEBHOOK_RETRY_DELAYS: '500ms,600ms,700ms,800ms',
    WEBHOOK_CIRCUIT_COOLDOWN: '3s',
  }
  env['PUBLIC_URL'] = `http://localhost:${env['PORT']}`
  await buildImages(imageNames, { ...process.env, ...env })
  compose = (await findCompose()) ?? []
  await writeComposeFiles(dir, env)
}, 1_500_000)
afterAll(async () => {
  if (compose !== undefined) await run('down', '--volumes')
  if (dir !== undefined) await rm(dir, { recursive: true })
})

async function run(...args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args: [...compose, ...args], env, timeoutMs: 400_000 })
  if (!ok) throw new Error(`${compose.join(' ')} ${args.join(' ')}: ${output}`)
  return output
}

async function up(): Promise<void> {
  const knowsWait = compose.length > 1
  await run('up', ...(knowsWait ? ['--wait'] : ['--detach']))
  const isUp = async () => !/starting|unhealthy|Exit(?:ed)? \(?[1-9]/.test(await run('ps', '--all'))
  await until(isUp, { what: 'all containers healthy', timeoutMs: 120_000, everyMs: 1_000 })
}

async function demo(): Promise<string> {
  const script = ['--conditions=source', 'scripts/src/commands/demo.ts', '--quick']
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...script, '--endpoints', `${dir}/endpoints.json`],
    { cwd: repoRoot, timeout: 100_000 },
  )
  return stdout
}

it('starts the whole system, and the demo succeeds on it', async () => {
  await up()
  expect(await demo()).toContain('Everything worked')
}, 600_000)

it('keeps its data when all containers are recreated', async () => {
  await run('down')
  await up()
  expect(await demo()).toContain('Everything worked')
}, 600_000)
