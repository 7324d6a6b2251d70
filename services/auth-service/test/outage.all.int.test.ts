import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import { freePort } from '@surehook/scripts/lib/ports'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { waitForReadiness } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import { callAdmin } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

// These tests stop parts of the stack, so they use their own.
let stack: Stack & AsyncDisposable
let world: World
let service: Running

beforeAll(async () => {
  stack = await openOwnStack({ only: ['kafka', 'registry', 'postgres', 'redis'] })
  world = await openWorld(stack)
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

const call = (request: string, body?: unknown) => callAdmin(service.api, request, body)

describe('without Kafka', () => {
  it('refuses changes completely, serves reads, and recovers by itself', async () => {
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
  })

  it('answers a change only when the topic has it', async () => {
    await call('PUT /frozen/environments/master', {})
    await stack.processes.kafka?.kill('SIGSTOP')
    const change = call('PUT /frozen/environments/master', { auth: { accessTokenTtl: 77 } })
    const first = await Promise.race([change.then(() => 'answered'), committed('frozen', '77')])
    expect(first).toBe('committed')
    await stack.processes.kafka?.kill('SIGCONT')
    expect((await change).status).toBe(200)
    const state = (await world.platformState()).environments.get('frozen/master')
    expect(state?.settings).toContain('"accessTokenTtl":77')
  })

  it('makes no environment while Kafka does not answer', async () => {
    await stack.processes.kafka?.kill('SIGSTOP')
    const refused = await call('PUT /never/environments/master', {})
    await stack.processes.kafka?.kill('SIGCONT')
    expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await call('GET /never/environments/master')).status).toBe(404)
  })

  it('answers 404 for a revoked management token only when the topic has it', async () => {
    await call('PUT /frozen/environments/master', {})
    const made = await call('POST /frozen/management-tokens', { name: 'leaked' })
    const { id } = made.body
    await stack.processes.kafka?.kill('SIGSTOP')
    let resumed = false
    const remove = () =>
      call(`DELETE /frozen/management-tokens/${id}`).then(({ status }) => [status, resumed])
    const first = remove()
    const list = async () => JSON.stringify((await call('GET /frozen/management-tokens')).body)
    const isCommitted = async () => !(await list()).includes(id)
    await until(isCommitted, { what: 'the commit' })
    const repeated = remove()
    await list()
    await list()
    resumed = true
    await stack.processes.kafka?.kill('SIGCONT')
    expect(await first).toEqual([204, true])
    expect(await repeated).toEqual([404, true])
  })

  it('waits at start, not ready, until Kafka is reachable', async () => {
    await stack.processes.kafka?.kill()
    const port = await freePort()
    const internal = `http://127.0.0.1:${port}`
    const starting = world.startService({ internal: { host: '127.0.0.1', port } })
    await waitForReadiness(internal, 503)
    await stack.processes.kafka?.restart()
    await using started = await starting
    await waitForReadiness(internal, 200)
    expect(started.internal).toBe(internal)
  })
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
  })
})

/** Resolves when the database has the setting, even if Kafka does not. */
async function committed(project: string, setting: string): Promise<'committed'> {
  const isThere = async () =>
    (await call(`GET /${project}/environments/master`)).text.includes(setting)
  await until(isThere, { what: `commit of ${project}` })
  return 'committed'
}
