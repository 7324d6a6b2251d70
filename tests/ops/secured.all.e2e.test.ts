import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { KafkaUser } from '@surehook/contracts/access/kafka-access'
import { createKafka } from '@surehook/kafka/client/client'
import { kafkaSecurity, registrySecurity } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { openEventCodec } from '@surehook/schemas/codec'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { freePort } from '@surehook/scripts/lib/ports'
import type { SecuredStack } from '@surehook/scripts/local-stack/secured-stack'
import { installExamples } from '@surehook/scripts/published/installed-examples'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import { readEnv } from '@surehook/service-kit/config/config'
import { serviceDatabaseUrl, servicePassword } from '@surehook/service-kit/postgres/migrate'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { Client } from 'pg'
import { runCli } from 'surehook/cli/run-cli'
import { commands } from 'surehook/commands/commands'
import * as z from 'zod'
import { listening } from '../examples/examples-world.ts'
import { AuthTenant } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { startShell } from '../support/commands/checkout.ts'
import { openSecuredSystem, type TestSystem } from '../support/open-system.ts'
import { eventually, payloadOf, type World, worldOn } from '../support/world.ts'

const log = createLogger('tests', 'silent')

let world: World<TestSystem & { readonly stack: SecuredStack }>
let stack: SecuredStack

beforeAll(async () => {
  world = await worldOn(openSecuredSystem, {})
  stack = world.system.stack
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

function kafkaAs(
  user: Exclude<KafkaUser, 'lag-reader' | 'postgres-source'> | 'admin',
  changes: NodeJS.ProcessEnv = {},
) {
  const read = readEnv(z.object(kafkaEnv), { ...stack.variablesOf(user), ...changes })
  const { KAFKA_BROKERS: brokers } = read
  return createKafka({ brokers, clientId: 'tests', security: kafkaSecurity(read), log })
}

async function withRedis<T>(
  user: 'auth-service' | 'webhook-dispatcher' | 'admin',
  use: (redis: RedisClient) => Promise<T>,
): Promise<T> {
  const { ca, redis } = stack.credentials
  const url = stack.endpoints.redisUrl.replace('://', `://${user}:${redis[user]}@`)
  const client = await openRedis({ url, ca, log })
  return use(client).finally(() => client.destroy())
}

describe('with TLS and users everywhere', () => {
  it('a change becomes a delivery, retried while the receiver fails', async () => {
    const tenant = await createTenant(world.system)
    await tenant.putTable('orders')
    world.receiver.answer('/hook', (_receipt, nth) => ({ status: nth === 1 ? 500 : 204 }))
    const { id } = await tenant.subscribe(world.receiver.url('/hook'))
    const record = await tenant.insert({ status: 'paid' })
    const delivered = await eventually(
      () => tenant.deliveries(id),
      ([newest]) => newest?.status === 'delivered',
    )
    expect(delivered).toMatchObject([{ attempts: 2 }])
    expect(world.receiver.receipts('/hook').map(payloadOf)[1]?.data).toMatchObject(record)
  })

  it('the example of a publisher publishes with the credentials of a service', async () => {
    const tenant = await createTenant(world.system)
    await tenant.subscribe(world.receiver.url('/invoices'), { table: 'invoices' })
    await using installed = await installExamples(['publisher'])
    const port = await freePort()
    // A service that may write to the topic `changes`.
    const variables = { ...stack.variablesOf('data-api'), SUREHOOK_PROJECT: tenant.projectId }
    const start = `PORT=${port} exec npm start`
    await using shell = startShell(installed.dirOf('publisher'), start, variables)
    await listening('publisher', shell, port)
    const issue = { body: { amount: '99.50' } }
    const answer = await send(`http://127.0.0.1:${port}`, 'POST /invoices', issue)
    const [receipt] = await world.receiver.waitFor('/invoices', 1)
    expect(receipt && payloadOf(receipt).record).toEqual(expectStatus(201, answer).body)
  })

  it('users sign up, log in, refresh and log out, and wrong passwords lock the account', async () => {
    const [[, transport]] = transports as [(typeof transports)[number]]
    const mailbox = { nextCode: async () => '', count: () => 0 }
    const users = await AuthTenant.create(
      { system: world.system, transport, mailbox },
      {
        auth: {
          emailVerification: false,
          lockout: { threshold: 3, duration: 60, scope: 'account' },
        },
      },
    )
    const { email, session } = await users.newUser()
    const { refreshToken } = session
    const renewed = await users.do('refreshToken', { refreshToken })
    await users.do('logout', {}, { accessToken: renewed.accessToken })
    const wrong = { email, password: 'not the password' }
    const codes = []
    for (const _ of [1, 2, 3, 4]) codes.push((await users.call('login', wrong)).code)
    expect(codes).toContain('AUTH_ACCOUNT_LOCKED')
  })

  it('the operator re-encrypts everything, and nothing needs it', async () => {
    const lines: string[] = []
    const { baseUrl, adminToken } = world.system
    const code = await runCli(commands, ['rotate-key'], {
      env: { SUREHOOK_URL: baseUrl, SUREHOOK_ADMIN_TOKEN: adminToken },
      out: (line) => void lines.push(line),
      note: () => {},
      signal: AbortSignal.timeout(120_000),
      now: Date.now,
    })
    expect([code, lines]).toEqual([
      0,
      [
        expect.stringMatching(/^private keys and mails: [1-9]\d* looked at, 0 re-encrypted$/),
        expect.stringMatching(/^secrets of webhooks: [1-9]\d* looked at, 0 re-encrypted$/),
        'nothing needs a previous key any more: take KEY_ENCRYPTION_KEY_PREVIOUS away',
      ],
    ])
  })

  it('no service used a right that it lacks', async () => {
    expect(await withRedis('admin', (admin) => admin.aclLog())).toEqual([])
    for (const service of serviceNames) {
      for (const { logFile } of world.system.services[service]) {
        expect(await readFile(logFile, 'utf8')).not.toMatch(
          /_AUTHORIZATION_FAILED|not authorized|NOPERM|permission denied/i,
        )
      }
    }
  })
})

describe('Kafka', () => {
  const write = async (user: 'webhook-matcher' | 'auth-service' | 'data-api', topic: string) => {
    const producer = rawKafka(kafkaAs(user)).producer()
    await producer.connect()
    try {
      return await producer.send({ topic, messages: [{ key: 'x', value: null }] })
    } finally {
      await producer.disconnect()
    }
  }

  it.each([
    ['webhook-matcher', 'platform.management-tokens'],
    ['webhook-matcher', 'webhook.subscriptions'],
    ['data-api', 'auth.revocations'],
    ['auth-service', 'webhook.deliveries'],
  ] as const)('does not let %s write to %s', async (user, topic) => {
    await expect(write(user, topic)).rejects.toMatchObject({ type: 'TOPIC_AUTHORIZATION_FAILED' })
  })

  it.each([
    ['auth-service', 'changes', 'auth-service'],
    ['data-api', 'webhook.deliveries', 'data-api-x'],
    ['webhook-matcher', 'webhook.deliveries', 'webhook-matcher-x'],
    ['webhook-dispatcher', 'changes', 'webhook-dispatcher-x'],
    ['webhook-matcher', 'changes', 'webhook-dispatcher'],
  ] as const)('does not let %s read %s in the group %s', async (user, topic, groupId) => {
    const consumer = rawKafka(kafkaAs(user)).consumer({ groupId, retry: { retries: 0 } })
    const crashed = Promise.withResolvers<string>()
    consumer.on(consumer.events.CRASH, ({ payload }) => crashed.resolve(payload.error.message))
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    const running = consumer.run({ eachMessage: async () => crashed.resolve('read') })
    const outcome = await Promise.race([
      crashed.promise,
      running.then(
        () => crashed.promise,
        (err: Error) => err.message,
      ),
    ])
    await consumer.disconnect()
    expect(outcome).toMatch(/not authorized|group coordinator/i)
  })

  it('lets only the operator make topics, and only those of the platform', async () => {
    const make = async (user: 'data-api' | 'operator', topic: string) => {
      const admin = kafkaAs(user).admin()
      await admin.connect()
      try {
        return await admin.createTopics({ topics: [{ topic }] })
      } finally {
        await admin.disconnect()
      }
    }
    await expect(make('data-api', 'webhook.mine')).rejects.toThrow()
    await expect(make('operator', 'others.mine')).rejects.toThrow()
    await expect(make('operator', 'webhook.mine')).resolves.toBe(true)
  })

  it.each([
    ['another password', { KAFKA_SASL_PASSWORD: 'guessed' }],
    ['no TLS', { KAFKA_TLS: undefined, KAFKA_CA_FILE: undefined }],
    ['a CA that did not sign it', { KAFKA_CA_FILE: undefined }],
  ])('is not reached with %s', async (_how, changes) => {
    const admin = kafkaAs('admin', changes).admin({ retry: { retries: 0 } })
    await expect(admin.connect()).rejects.toThrow()
    await admin.disconnect()
  })
})

describe('the registry', () => {
  const open = (user: 'data-api', changes: NodeJS.ProcessEnv) => {
    const read = readEnv(z.object(kafkaEnv), { ...stack.variablesOf(user), ...changes })
    const { SCHEMA_REGISTRY_URL: registryUrl } = read
    return openEventCodec({ registryUrl, registrySecurity: registrySecurity(read) })
  }

  it('accepts the password, over TLS with a certificate of the CA', async () => {
    await expect(open('data-api', {})).resolves.toBeDefined()
    const wrong = { SCHEMA_REGISTRY_PASSWORD: 'guessed' }
    await expect(open('data-api', wrong)).rejects.toThrow('401')
    const system = { SCHEMA_REGISTRY_CA_FILE: undefined }
    await expect(open('data-api', system)).rejects.toThrow(/certificate/)
  })
})

describe('PostgreSQL', () => {
  const key = Buffer.alloc(32, 'test')
  const urlOf = (service: string) =>
    serviceDatabaseUrl(stack.endpoints.databaseUrl, service, servicePassword(key, service))
  const ask = async (url: string, sql: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }

  it.each([
    ['webhook-api', 'select from auth_service.signing_key'],
    ['webhook-api', 'select from data_api.table_definition'],
    ['data-api', 'select from webhook_api.subscription'],
    ['auth-service', 'create schema mine'],
    ['auth-service', 'create role mine'],
    ['webhook-api', 'create table public.mine ()'],
    ['webhook-api', 'select * from pg_authid'],
  ])('does not let %s do: %s', async (service, sql) => {
    await expect(ask(urlOf(service), sql)).rejects.toMatchObject({ code: '42501' })
  })

  it('accepts only TLS, with a valid certificate', async () => {
    const plain = new URL(urlOf('data-api'))
    plain.search = ''
    await expect(ask(plain.href, 'select 1')).rejects.toThrow(/pg_hba/)
    plain.search = '?sslmode=verify-full'
    await expect(ask(plain.href, 'select 1')).rejects.toThrow(/certificate/)
    const { rows } = await ask(
      stack.endpoints.databaseUrl,
      `select a.application_name as name, s.ssl from pg_stat_activity a join pg_stat_ssl s using (pid)
        where a.usename like 'surehook%'`,
    )
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter(({ ssl }) => ssl !== true)).toEqual([])
    expect(rows.map(({ name }) => String(name)).join()).toContain('relay')
  })
})

describe('Redis', () => {
  it('refuses anonymous clients, and separates the keys and commands of users', async () => {
    const { ca } = stack.credentials
    const nobody = new AbortController()
    const refused = openRedis({ url: stack.endpoints.redisUrl, ca, log, signal: nobody.signal })
    setImmediate(() => nobody.abort())
    await expect(refused).rejects.toThrow()
    const noPermission = /NOPERM/
    const refusals = (redis: RedisClient) =>
      Promise.all([
        expect(redis.flushAll()).rejects.toThrow(noPermission),
        expect(redis.keys('*')).rejects.toThrow(noPermission),
        expect(redis.configSet('save', '')).rejects.toThrow(noPermission),
      ])
    await withRedis('webhook-dispatcher', async (redis) => {
      await refusals(redis)
      await expect(redis.hmGet('auth:revoked:complete', 'x')).rejects.toThrow(noPermission)
      await expect(redis.del('auth:lockout:x')).rejects.toThrow(noPermission)
    })
    await withRedis('auth-service', async (redis) => {
      await refusals(redis)
      await expect(redis.get('surehook:circuit:x')).rejects.toThrow(noPermission)
    })
  })
})
