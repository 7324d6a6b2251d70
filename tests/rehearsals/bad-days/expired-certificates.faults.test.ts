import { once } from 'node:events'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { SecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import { openRedis } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { Client } from 'pg'
import { allReady } from '../../support/all-ready.ts'
import { openSecuredSystem, type TestSystem } from '../../support/open-system.ts'
import { eventually, payloadOf, type World, worldOn } from '../../support/world.ts'

let world: World<TestSystem & { readonly stack: SecuredStack }>
let tenant: Tenant

beforeAll(async () => {
  world = await worldOn(openSecuredSystem, {})
  tenant = await world.tenant()
  await tenant.putTable('orders')
  await tenant.subscribe(world.receiver.url('/hook'))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const expired = () => new Date(Date.now() - 60_000)

/** Checks that every change has arrived exactly once. */
async function arrived(ids: readonly string[]): Promise<void> {
  const received = () =>
    world.receiver.receipts('/hook').map((one) => String(payloadOf(one).record['id']))
  await eventually(
    async () => received(),
    (all) => ids.every((id) => all.includes(id)),
  )
  // A refused write may have been stored all the same.
  const mine = received().filter((id) => ids.includes(id))
  expect(mine.toSorted()).toEqual(ids.toSorted())
}

/** Returns the status of a login, which Redis counts. */
async function logIn(): Promise<number> {
  const { projectId, environment } = tenant
  const response = await fetch(`${world.system.baseUrl}/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-project-id': projectId,
      'x-environment': environment,
    },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'nobody has this' }),
  })
  await response.arrayBuffer()
  return response.status
}

const insert = async () => (await tenant.insert({ status: 'new' })).id
const written: string[] = []

it('an expired certificate of Redis: webhooks are delivered, and a new certificate repairs the rest', async () => {
  const { credentials, endpoints } = world.system.stack
  const { ca, redis, certificateFile } = credentials
  const url = endpoints.redisUrl.replace('://', `://admin:${redis.admin}@`)
  const admin = await openRedis({ url, ca, log: createLogger('tests', 'silent') })
  let presented = 0
  const present = async () => {
    // The server reads a file again only if the setting has changed.
    const file = `${certificateFile}.${++presented}`
    await copyFile(certificateFile, file)
    await admin.configSet('tls-cert-file', file)
    await admin.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
  }
  try {
    await credentials.renew(expired())
    await present()
    await eventually(logIn, (status) => status === 503)
    written.push(await insert())
    await arrived(written)
    await credentials.renew()
    await present()
    await eventually(logIn, (status) => status === 401)
    await allReady(world.system)
  } finally {
    admin.destroy()
  }
})

it('an expired certificate of PostgreSQL: writes are refused, and after renewal nothing is lost', async () => {
  const { credentials, endpoints } = world.system.stack
  const admin = new Client({ connectionString: endpoints.databaseUrl })
  await admin.connect()
  const { rows } = await admin.query<{ file: string }>(
    "select current_setting('ssl_cert_file') as file",
  )
  const present = async () => {
    await writeFile(rows[0]?.file ?? '', await readFile(credentials.certificateFile))
    await admin.query('select pg_reload_conf()')
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and usename like 'surehook%'`,
    )
  }
  try {
    written.push(await insert())
    await credentials.renew(expired())
    await present()
    const refused = await eventually(
      () => tenant.rest('POST orders', { status: 'refused' }),
      ({ status }) => status !== 201,
    )
    expect(refused.status).toBe(503)
    await credentials.renew()
    await present()
    await allReady(world.system)
    written.push(await insert())
  } finally {
    await admin.end()
  }
  await arrived(written)
})

/**
 * A running Kafka accepts a new certificate only while the old one is valid. Afterwards it has to
 * be restarted.
 */
async function restartKafka({ credentials, processes }: SecuredStack): Promise<void> {
  const file = resolve(dirname(credentials.caFile), '../kafka.properties')
  const chain = (await readFile(credentials.certificateFile, 'utf8')).trim()
  const line = `ssl.keystore.certificate.chain=${chain.replaceAll('\n', '\\n')}`
  const properties = await readFile(file, 'utf8')
  await writeFile(
    file,
    properties.replace(/^ssl\.keystore\.certificate\.chain=.*$/m, () => line),
  )
  await processes.kafka?.restart()
}

/** Returns the certificate error of a new connection; empty if there is none. */
async function refusalOf({ endpoints, credentials }: SecuredStack): Promise<string> {
  const [host, port] = endpoints.kafkaBrokers.split(':')
  const socket = connect({ host, port: Number(port), ca: credentials.ca })
  try {
    await once(socket, 'secureConnect')
    return ''
  } catch (err) {
    return String((err as NodeJS.ErrnoException).code)
  } finally {
    socket.destroy()
  }
}

it('an expired certificate of Kafka: open connections continue, new processes wait, and after renewal nothing is lost', async () => {
  const { stack, services } = world.system
  const { credentials } = stack
  const [dispatcher] = services['webhook-dispatcher']
  if (dispatcher === undefined) throw new Error('no dispatcher runs')
  // Kafka does not start with an expired certificate.
  await credentials.renew(new Date(Date.now() + 45_000))
  await restartKafka(stack)
  await allReady(world.system)
  // Opens every connection that a delivery needs.
  written.push(await insert())
  await arrived(written)
  await eventually(
    () => refusalOf(stack),
    (code) => code === 'CERT_HAS_EXPIRED',
    60_000,
  )
  written.push(await insert())
  await arrived(written)
  const logged = (await readFile(dispatcher.logFile, 'utf8')).length
  const restarted = dispatcher.restart()
  await eventually(
    async () => (await readFile(dispatcher.logFile, 'utf8')).slice(logged),
    (log) => log.includes('dependency.waiting') && log.includes('certificate has expired'),
  )
  written.push(await insert())
  await credentials.renew()
  await restartKafka(stack)
  await restarted
  await allReady(world.system)
  await arrived(written)
})
