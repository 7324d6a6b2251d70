import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot, state } from '@surehook/scripts/lib/paths'
import { webhookTimes } from '@surehook/scripts/lib/running-system'
import { ensureDemoCa } from '@surehook/scripts/receiver/demo-ca'
import { openSystem, type TestSystem } from '../support/open-system.ts'

const times = { WEBHOOK_RETRY_DELAYS: '500ms,600ms,700ms,800ms', WEBHOOK_CIRCUIT_COOLDOWN: '3s' }
const run = promisify(execFile)

let system: TestSystem
let dir: string
let endpointsFile: string

beforeAll(async () => {
  const { caFile } = await ensureDemoCa(state.demoCaDir)
  system = await openSystem({ env: { ...times, WEBHOOK_EXTRA_CA_FILE: caFile } })
  dir = await mkdtemp(join(tmpdir(), 'surehook-demo-'))
  endpointsFile = join(dir, 'endpoints.json')
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  if (dir !== undefined) await rm(dir, { recursive: true })
})

/** Runs the demo. Returns its exit code and output. */
async function demo(facts: object | null): Promise<{ code: number; said: string }> {
  if (facts !== null) await writeFile(endpointsFile, JSON.stringify(facts))
  const args = ['--conditions=source', 'scripts/src/commands/demo.ts', '--quick', '--endpoints']
  try {
    const { stdout, stderr } = await run(process.execPath, [...args, endpointsFile], {
      cwd: repoRoot,
      timeout: 50_000,
    })
    return { code: 0, said: stdout + stderr }
  } catch (err) {
    const { code, stdout, stderr } = err as { code: number; stdout: string; stderr: string }
    return { code, said: stdout + stderr }
  }
}

const facts = () => ({
  ...system.endpoints,
  ...webhookTimes(times),
  baseUrl: system.baseUrl,
  adminToken: system.adminToken,
})

it('reports that no system runs', async () => {
  const { code, said } = await demo(null)
  expect(said).toContain('no running system found: start one with "npm start"')
  expect(code).toBe(1)
})

it('reports a wrong administration token', async () => {
  const { code, said } = await demo({ ...facts(), adminToken: 'wrong' })
  expect(said).toContain('ADMIN_TOKEN_INVALID')
  expect(code).toBe(1)
})

it('shows the main features from beginning to end', async () => {
  const { code, said } = await demo(facts())
  expect(said).toContain('Everything worked')
  expect(code).toBe(0)
})
