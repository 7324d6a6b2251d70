import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { Webhook } from 'standardwebhooks'
import { surehook } from '../support/commands/operator-cli.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'

let world: SharedListeningWorld
beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

type ReceivedRequest = { headers: IncomingHttpHeaders; body: string }

/** A receiver as developers run it: plain HTTP on this machine. */
async function openLocalReceiver(answer: (count: number) => number) {
  const received: ReceivedRequest[] = []
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ headers: req.headers, body })
      res.writeHead(answer(received.length)).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    url: `localhost:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

const variablesOf = (tenant: Tenant, url = world.system.baseUrl) => ({
  SUREHOOK_URL: url,
  SUREHOOK_PROJECT: tenant.projectId,
  SUREHOOK_ENVIRONMENT: tenant.environment,
  SUREHOOK_TOKEN: tenant.token,
})

/** Sorted, because changes of different records come in any order. */
const notesOf = ({ received }: { received: readonly ReceivedRequest[] }) =>
  received
    .map(({ body }) => (JSON.parse(body) as { record: { note: string } }).record.note)
    .toSorted()

describe('surehook listen', () => {
  it('forwards earlier changes of a table, signed with its secret, and shows the answers', async () => {
    const tenant = await world.tenant()
    await tenant.putTable('parcels')
    await tenant.insert({ note: 'one' })
    await tenant.insert({ note: 'elsewhere' }, 'parcels')
    await tenant.insert({ note: 'two' })
    await using receiver = await openLocalReceiver(() => 204)
    const env = variablesOf(tenant)
    const { out: secret } = await surehook(env, 'listen', '--print-secret')

    const listen = ['listen', 'orders', '--from', '1h', '--exit-after', '2', '--json']
    const { code, out, notes } = await surehook(env, ...listen, '--forward-to', receiver.url)

    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    expect(notesOf(receiver)).toEqual(['one', 'two'])
    for (const { headers, body } of receiver.received) {
      const verified = new Webhook(secret).verify(body, headers as Record<string, string>)
      expect(verified).toMatchObject({ table: 'orders', event: 'INSERT' })
      expect(headers['x-service-delivery']).toBe(JSON.parse(body).id)
    }
    const lines = out.split('\n').map((line) => JSON.parse(line) as { answer: object })
    expect(lines.map(({ answer }) => answer)).toMatchObject([{ status: 204 }, { status: 204 }])
  })

  it('forwards the changes of several tables only', async () => {
    const tenant = await world.tenant()
    for (const table of ['letters', 'parcels']) await tenant.putTable(table)
    await tenant.insert({ note: 'elsewhere' }, 'letters')
    await tenant.insert({ note: 'one' })
    await tenant.insert({ note: 'two' }, 'parcels')
    await using receiver = await openLocalReceiver(() => 204)
    const listen = ['listen', 'orders', 'parcels', '--from', '1h', '--exit-after', '2']
    const to = ['--forward-to', receiver.url]
    expect((await surehook(variablesOf(tenant), ...listen, ...to)).code).toBe(0)
    expect(notesOf(receiver)).toEqual(['one', 'two'])
  })

  it('gives each environment a secret of its own, which does not contain the token', async () => {
    const [mine, other] = [await world.tenant(), await world.tenant()]
    const secrets = await Promise.all(
      [mine, mine, other].map(async (tenant) => {
        const { out } = await surehook(variablesOf(tenant), 'listen', '--print-secret')
        return out
      }),
    )
    expect(secrets[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secrets[1]).toBe(secrets[0])
    expect(secrets[2]).not.toBe(secrets[0])
  })

  it('ends with 1 if the receiver refused a change, and sends the later ones all the same', async () => {
    const tenant = await world.tenant()
    await tenant.insert({ note: 'one' })
    await tenant.insert({ note: 'two' })
    await using receiver = await openLocalReceiver((count) => (count === 1 ? 500 : 204))
    const { code, out } = await surehook(
      variablesOf(tenant),
      ...['listen', '--from', '1h', '--exit-after', '2', '--forward-to', receiver.url],
    )
    expect(code).toBe(1)
    expect(notesOf(receiver)).toEqual(['one', 'two'])
    expect(out).toMatch(/ 500 .*\n.* 204 /)
  })

  it('goes on where it was after the connection was lost', async () => {
    const tenant = await world.tenant()
    await using receiver = await openLocalReceiver(() => 204)
    await using proxy = await TcpProxy.openTo(world.system.baseUrl)
    const env = variablesOf(tenant, proxy.urlOf(world.system.baseUrl))
    await tenant.insert({ note: 'before' })
    const listen = ['listen', '--from', '1h', '--exit-after', '3', '--forward-to', receiver.url]
    const listening = surehook(env, ...listen)
    const arrived = (count: number) =>
      until(() => receiver.received.length >= count, {
        what: `${count} changes`,
        timeoutMs: 90_000,
      })
    await arrived(1)

    proxy.set({ kind: 'reset' })
    await tenant.insert({ note: 'meanwhile' })
    proxy.set({ kind: 'pass' })
    await arrived(2)
    await tenant.insert({ note: 'after' })

    const { code } = await listening
    expect(code).toBe(0)
    expect(notesOf(receiver)).toEqual(['after', 'before', 'meanwhile'])
  })

  it('shows why the API refused the request', async () => {
    const tenant = await world.tenant()
    const refused = await surehook(variablesOf(tenant), 'listen', '--filter', '{"note":{"near":1}}')
    expect(refused.code).toBe(1)
    expect(refused.notes).toMatch(/400 VALIDATION_ERROR[\s\S]*filter/)
    const stranger = { ...variablesOf(tenant), SUREHOOK_TOKEN: 'pat_unknown' }
    const { code, notes } = await surehook(stranger, 'listen')
    expect(code).toBe(1)
    expect(notes).toContain('401 MANAGEMENT_TOKEN_INVALID')
    expect(notes).not.toContain('pat_unknown')
  })
})
