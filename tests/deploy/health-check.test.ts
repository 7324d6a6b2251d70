import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtempDisposable, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { until } from '@surehook/testing/until'

/** Runs the health check as in an image, where `service` links to the running workspace. */
async function exitCodeIn(workspace: string, port: number): Promise<number | null> {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-health-'))
  const script = join(dir.path, 'healthcheck.mjs')
  await cp(`${repoRoot}/deploy/docker/healthcheck.mjs`, script)
  await symlink(workspace, join(dir.path, 'service'))
  const env = { ...process.env, INTERNAL_PORT: String(port) }
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

test('a service is as healthy as it reports; the operators’ command is always healthy', async () => {
  let status = 200
  const server = createServer((_request, response) => response.writeHead(status).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The check gives up after 3.5 s, in which a busy machine may not even start a process.
  await until(async () => (await exitCodeIn('services/gateway', port)) === 0)
  status = 503
  expect(await exitCodeIn('services/gateway', port)).toBe(1)
  server.close()
  expect(await exitCodeIn('services/gateway', port)).toBe(1)
  expect(await exitCodeIn('packages/cli', port)).toBe(0)
})
