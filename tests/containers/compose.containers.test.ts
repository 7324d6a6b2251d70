import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { findCompose } from '@surehook/scripts/compose/docker-commands'
import { writeComposeFiles } from '@surehook/scripts/compose/write-compose-files'
import { buildImages } from '@surehook/scripts/images/build-images'
import { imageNames } from '@surehook/scripts/images/image-names'
import { state } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { runCommand } from '@surehook/scripts/lib/run-command'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { ensureDemoCa } from '@surehook/scripts/receiver/demo-ca'
import { until } from '@surehook/testing/until'
import { surehook } from '../support/commands/operator-cli.ts'

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
  const { certificateFile, keyFile } = await ensureDemoCa(state.demoCaDir)
  const running = JSON.parse(await readFile(`${dir}/endpoints.json`, 'utf8')) as RunningSystem
  const { baseUrl, adminToken, receiverHost } = running
  const variables = { ...env, SUREHOOK_URL: baseUrl, SUREHOOK_ADMIN_TOKEN: adminToken }
  const receiver = ['--receiver', `https://${receiverHost}:0`, '--certificate', certificateFile]
  const { out, notes } = await surehook(variables, 'demo', '--all', ...receiver, '--key', keyFile)
  return out + notes
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
