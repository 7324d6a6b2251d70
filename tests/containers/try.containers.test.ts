import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { buildImages } from '@surehook/scripts/images/build-images'
import { tagOf, tryImage } from '@surehook/scripts/images/image-names'
import { freePort } from '@surehook/scripts/lib/ports'
import { runCommand } from '@surehook/scripts/lib/run-command'
import { until } from '@surehook/testing/until'

const env: NodeJS.ProcessEnv = { ...process.env, IMAGE_TAG: 'check' }
const name = `surehook-try-${process.pid}`
let port: number

beforeAll(async () => {
  port = await freePort()
  await buildImages([tryImage], env)
  await docker('volume', 'create', name)
}, 1_500_000)
afterAll(async () => {
  await docker('rm', '--force', name)
  await docker('volume', 'rm', '--force', name)
})

async function docker(...args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args: ['docker', ...args], timeoutMs: 120_000 })
  if (!ok) throw new Error(`docker ${args[0]}: ${output}`)
  return output.trim()
}

const run = (...args: string[]) =>
  docker(
    ...['run', '--detach', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--volume', `${name}:/data`, ...args, tagOf(tryImage, env)],
  )

async function start(): Promise<void> {
  await run('--name', name, '--publish', `127.0.0.1:${port}:8080`)
  await untilReady()
}

async function untilReady(): Promise<void> {
  const isHealthy = async () =>
    (await docker('inspect', '--format', '{{.State.Health.Status}}', name)) === 'healthy'
  await until(isHealthy, { what: 'a healthy container', timeoutMs: 600_000, everyMs: 1_000 })
}

/** Asks from this machine, as the token of the container's volume allows it. */
async function projects(): Promise<string[]> {
  const file = JSON.parse(await docker('exec', name, 'cat', '/data/endpoints.json'))
  const response = await fetch(`http://127.0.0.1:${port}/auth/admin/projects`, {
    headers: { authorization: `Bearer ${file.adminToken}` },
  })
  expect(response.status).toBe(200)
  const { projects: found } = (await response.json()) as { projects: { projectId: string }[] }
  return found.map(({ projectId }) => projectId)
}

it('starts as an unprivileged user, says where the token is, and delivers a webhook', async () => {
  await start()
  expect(await docker('exec', name, 'id', '-u')).toBe('1000')
  const said = await docker('logs', name)
  expect(said).toMatch(/admin token +docker exec [0-9a-f]{12} cat \/data\/endpoints\.json/)
  expect(said).not.toContain('pat_')
  expect(await docker('exec', name, 'surehook', 'try')).toContain('with a valid signature')
  expect(await projects()).toHaveLength(1)
}, 900_000)

it('lets no second container use its volume', async () => {
  const second = await run()
  expect(await docker('wait', second)).toBe('1')
  expect(await docker('logs', second)).toContain('another container runs on this volume')
  await docker('rm', second)
}, 120_000)

it('keeps its data when it is killed', async () => {
  await docker('kill', name)
  await docker('start', name)
  await untilReady()
  expect(await docker('exec', name, 'surehook', 'try')).toContain('with a valid signature')
  expect(await projects()).toHaveLength(2)
}, 900_000)

it('ends cleanly at SIGTERM, and a new container goes on with the volume', async () => {
  await docker('stop', '--time', '60', name)
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0')
  expect(await docker('logs', '--tail', '1', name)).toBe('stopping')
  await docker('rm', name)
  await start()
  expect(await projects()).toHaveLength(2)
}, 900_000)
