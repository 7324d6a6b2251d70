import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort } from '@surehook/scripts/lib/ports'
import { waitUntil } from '@surehook/scripts/lib/wait-until'
import { type LocalStack, startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { call as callApi } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

// Parts of this stack are taken away: it is nobody else's.
let dir: string
let stack: LocalStack
let world: World
let service: Running

beforeAll(async () => {
  dir = await mkdtemp(`${tmpdir()}/auth-outage-`)
  stack = await startLocalStack({ dir, only: ['kafka', 'registry', 'postgres', 'redis'] })
  world = await openWorld(stack)
  service = await world.startService()
}, 60_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.stop()
  await rm(dir, { recursive: true, force: true })
}, 60_000)

const call = (request: string, body?: unknown) => callApi(service.api, request, { body })

async function waitForReadiness(internal: string, status: number): Promise<void> {
  const isThere = async () => {
    const response = await fetch(`${internal}/readyz`).catch(() => null)
    return response?.status === status
  }
  await waitUntil(isThere, { what: `readiness ${status}`, timeoutMs: 20_000 })
}

describe('without Kafka', () => {
  it('refuses changes with nothing half done, reads on, and recovers by itself', async () => {
    await stack.processes.kafka?.kill()
    await waitForReadiness(service.internal, 503)
    const refused = await call('PUT /dark/environments/master', {})
    expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await call('GET /dark/environments/master')).status).toBe(404)
    expect((await call('GET ')).status).toBe(200)

    await stack.processes.kafka?.restart()
    await waitForReadiness(service.internal, 200)
    expect((await call('PUT /dark/environments/master', {})).status).toBe(200)
    const { environments } = await world.platformState()
    expect([...environments.keys()]).toEqual(['dark/master'])
  }, 60_000)

  it('answers a change only when the topic has it', async () => {
    await stack.processes.kafka?.kill('SIGSTOP')
    const change = call('PUT /frozen/environments/master', {})
    const first = await Promise.race([change.then(() => 'answered'), committed('frozen')])
    expect(first).toBe('committed')
    await stack.processes.kafka?.kill('SIGCONT')
    expect((await change).status).toBe(200)
    expect((await world.platformState()).environments.has('frozen/master')).toBe(true)
  }, 60_000)

  it('waits at start, not ready, until it is there', async () => {
    await stack.processes.kafka?.kill()
    const port = await freePort()
    const internal = `http://127.0.0.1:${port}`
    const starting = world.startService({ internal: { host: '127.0.0.1', port } })
    await waitForReadiness(internal, 503)
    await stack.processes.kafka?.restart()
    await using started = await starting
    await waitForReadiness(internal, 200)
    expect(started.internal).toBe(internal)
  }, 60_000)
})

describe('without PostgreSQL', () => {
  it('answers 503 and recovers by itself', async () => {
    await waitForReadiness(service.internal, 200)
    await stack.processes.postgres?.kill()
    for (const answer of [await call('GET '), await call('PUT /late/environments/master', {})]) {
      expect([answer.status, answer.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    }
    await waitForReadiness(service.internal, 503)
    await stack.processes.postgres?.restart()
    await waitForReadiness(service.internal, 200)
    expect((await call('PUT /late/environments/master', {})).status).toBe(200)
    expect((await world.platformState()).environments.has('late/master')).toBe(true)
  }, 60_000)
})

/** Resolves when the database has the project, whatever Kafka has. */
async function committed(project: string): Promise<'committed'> {
  const isThere = async () => (await call(`GET /${project}/environments/master`)).status === 200
  await waitUntil(isThere, { what: `commit of ${project}`, timeoutMs: 5_000 })
  return 'committed'
}
