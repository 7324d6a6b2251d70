import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { createTenant } from '@surehook/scripts/client/tenant'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import type { ServiceHandle } from '@surehook/scripts/system/start-services'
import { AuthTenant, newEmail, password, trusting } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'
import { newPath } from '../support/listening-world.ts'
import { payloadOf } from '../support/world.ts'

let world: FaultWorld

beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.0/8,::1/128' }
  world = await openFaultWorld({ mode: 'single', env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Returns the process that holds all services. */
function theProcess(): ServiceHandle {
  const handles = new Set(Object.values(world.system.services).flat())
  expect(handles.size).toBe(1)
  const [only] = handles
  if (only === undefined) throw new Error('no process runs')
  return only
}

describe('all services in one process', () => {
  it('let a user sign up, log in and write, and deliver what was written', async () => {
    const { system, receiver } = world
    const mailbox = { nextCode: () => Promise.reject(new Error('no mail')), count: () => 0 }
    const [[, transport] = []] = transports
    if (transport === undefined) throw new Error('there is no transport')
    const users = await AuthTenant.create({ system, transport, mailbox }, trusting)
    expectStatus(201, await users.admin('POST', '/roles', { name: 'clerk' }))
    await users.configure({ ...trusting.auth, defaultRole: 'clerk' })
    const manager = await createTenant(system, { projectId: users.projectId })
    const columns = [{ name: 'note', type: 'text' }]
    const access = { create: ['clerk'] }
    expectStatus(200, await manager.rest('PUT _tables/orders', { columns, access }))
    const path = newPath()
    await manager.subscribe(receiver.url(path))
    const email = newEmail()
    await users.do('signup', { email, password })
    const { accessToken } = await users.login(email)
    // The gateway reads the first body whole and streams the second.
    const notes = ['short', 'x'.repeat(100_000)]
    for (const note of notes) {
      const asUser = { authorization: `Bearer ${accessToken}` }
      expectStatus(201, await manager.rest('POST orders', { note }, asUser))
    }
    const receipts = await receiver.waitFor(path, notes.length)
    const received = receipts.map((receipt) => payloadOf(receipt).data['note'])
    expect(received.toSorted()).toEqual(notes.toSorted())
  })

  it('stream changes, and end their streams when they stop', async () => {
    const tenant = await createTenant(world.system)
    await tenant.putTable('orders')
    using stream = await openStream(`${world.system.baseUrl}/gw`, tenant)
    await tenant.insert({ n: 1 })
    await stream.arrived(1)
    expect(stream.events[0]?.event).toBe('INSERT')
    const { logFile } = theProcess()
    const stopping = theProcess().stop()
    await stream.ended()
    await stopping
    // No timer kept the process alive until it was killed.
    expect(await readFile(logFile, 'utf8')).not.toContain('service.forced')
    await theProcess().restart()
  })

  it('export the metrics of each under its name, and those of the process once', async () => {
    const { internalUrl } = theProcess()
    const text = await (await fetch(`${internalUrl}/metrics`)).text()
    const metrics = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(metrics).size).toBe(metrics.length)
    const servicesOf = (name: string) =>
      [...text.matchAll(new RegExp(`^${name}\\{.*?service="([^"]+)"`, 'gm'))].map(([, of]) => of)
    expect(servicesOf('process_cpu_seconds_total')).toEqual(['single-process'])
    expect(new Set(servicesOf('surehook_ready'))).toEqual(new Set(serviceNames))
    const ready = await Promise.all(
      ['', ...serviceNames.map((name) => `/${name}`)].map(async (part) => {
        const { status } = await fetch(`${internalUrl}/readyz${part}`)
        return status
      }),
    )
    expect(new Set(ready)).toEqual(new Set([200]))
  })

  it('lose nothing when the process is killed during changes', async () => {
    const load = { cause: 'SIGKILL of the one process', changes: 1_000, mayRepeat: undecidedAtMost }
    await world.duringLoad(load, async () => {
      await theProcess().kill('SIGKILL')
      await theProcess().restart()
    })
  })

  it('become separate processes and one again during changes, and lose nothing', async () => {
    const { logFile } = theProcess()
    await world.duringLoad(
      { cause: 'one process, separate ones, one', changes: 1_000 },
      async () => {
        await world.system.become('separate')
        expect(Object.values(world.system.services).flat()).toHaveLength(serviceNames.length)
        await world.system.become('single')
      },
    )
    // The process ends by itself within its grace period.
    expect(await readFile(logFile, 'utf8')).not.toContain('service.forced')
  })
})
