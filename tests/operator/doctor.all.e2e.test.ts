import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createKafka } from '@surehook/kafka/client/client'
import { type Admin, ConfigResourceTypes } from '@surehook/kafka/client/surface'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { serviceNames } from 'surehook/lib/service-catalog'
import { type CliAnswer, surehook } from '../support/commands/operator-cli.ts'
import { openSystem, type TestSystem } from '../support/open-system.ts'
import { eventually } from '../support/world.ts'

let system: TestSystem
let kafka: Admin
let dir: string
/** The environment that an operator would set for the services of this system. */
let env: NodeJS.ProcessEnv

// The key of all test systems, which continue after this one: passwords of database roles are
// derived from it.
const keyEncryptionKey = Buffer.alloc(32, 'test').toString('base64')
const topic = ConfigResourceTypes.TOPIC

beforeAll(async () => {
  system = await openSystem()
  dir = await mkdtemp(join(tmpdir(), 'surehook-doctor-'))
  const { endpoints } = system
  env = {
    SUREHOOK_URL: system.baseUrl,
    KAFKA_BROKERS: endpoints.kafkaBrokers,
    SCHEMA_REGISTRY_URL: endpoints.schemaRegistryUrl,
    KAFKA_PARTITIONS: '4',
    // The stack has one broker.
    KAFKA_REPLICATION_FACTOR: '1',
    WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
    DATABASE_URL: endpoints.databaseUrl,
    REDIS_URL: endpoints.redisUrl,
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    PLATFORM_ADMIN_TOKEN: system.adminToken,
    SERVICE_TOKEN: system.serviceToken,
    PUBLIC_URL: system.baseUrl,
    SMTP_URL: 'smtp://127.0.0.1:1',
    UV_THREADPOOL_SIZE: '64',
    AUTH_SERVICE_URL: system.baseUrl,
    DATA_API_URL: system.baseUrl,
    POSTGRES_SOURCE_URL: system.baseUrl,
    WEBHOOK_API_URL: system.baseUrl,
  }
  const log = createLogger('test', 'silent')
  kafka = createKafka({ brokers: endpoints.kafkaBrokers.split(','), clientId: 'test', log }).admin()
  await kafka.connect()
})
afterAll(async () => {
  await kafka?.disconnect()
  await system?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const ofAllServices = serviceNames.flatMap((name) => ['--service', name])

type DoctorFinding = { area: string; level: string; says: string; advice?: string }

async function doctor(more: NodeJS.ProcessEnv = {}): Promise<{ code: number; wrong: string[] }> {
  const answer = await surehook({ ...env, ...more }, 'doctor', '--json', ...ofAllServices)
  const { findings } = answer.json() as { findings: DoctorFinding[] }
  const wrong = findings.filter(({ level }) => level === 'wrong')
  return { code: answer.code, wrong: wrong.map(({ area, says }) => `${area}: ${says}`) }
}

/** No mail server runs here, so this is the only fault of a healthy system. */
const noMail = 'smtp: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1'
const healthy = () => eventually(doctor, ({ wrong }) => wrong.length === 1 && wrong[0] === noMail)

const prepare = (what: string, ...args: string[]) => surehook(env, 'prepare', what, ...args)

describe('surehook doctor', () => {
  it('finds nothing wrong with a healthy system', async () => {
    await healthy()
    const shown = await surehook(env, 'doctor')
    expect(shown.code).toBe(1)
    expect(shown.out).toMatch(/^ok +slots +surehook_data_api is read/m)
    expect(shown.out).toMatch(/^ok +topics +\d+ topics, as the contract says$/m)
    expect(shown.out).toMatch(/^ok +consumers +webhook-dispatcher: 1 member, /m)
    expect(shown.out).toMatch(/^WRONG +smtp .*\n +→ Bring the mail server back/m)
    expect(shown.out).toMatch(/^1 wrong, /m)
    expect(shown.out).not.toContain(keyEncryptionKey)
  })

  it('requires three brokers unless fewer copies are configured', async () => {
    const { wrong } = await doctor({ KAFKA_REPLICATION_FACTOR: '' })
    expect(wrong).toContainEqual(expect.stringContaining('kafka: 1 of 3 brokers: what Kafka'))
    expect(wrong).toContainEqual(expect.stringContaining('topics: fewer than 3 copies of changes'))
  })

  it('finds settings with which no service starts', async () => {
    const { wrong } = await doctor({ KEY_ENCRYPTION_KEY: 'c2hvcnQ=', SERVICE_TOKEN: '', PORT: 'x' })
    expect(wrong).toContain('configuration: data-api: SERVICE_TOKEN: is not set')
    expect(wrong).toContain(
      'configuration: webhook-dispatcher: KEY_ENCRYPTION_KEY: must be 32 bytes in base64',
    )
    expect(wrong.filter((line) => line.startsWith('configuration: gateway: PORT'))).toHaveLength(1)
  })

  it('finds a topic with other settings and a missing one, which prepare repairs', async () => {
    const name = 'webhook.attempts'
    const configEntries = [{ name: 'retention.ms', value: '60000000' }]
    await kafka.alterConfigs({
      validateOnly: false,
      resources: [{ type: topic, name, configEntries }],
    })
    // The topic is needed only when something is broken.
    await kafka.deleteTopics({ topics: ['platform.tables.invalid'] })
    const { code, wrong } = await eventually(doctor, ({ wrong: all }) => all.length > 2)
    expect(code).toBe(1)
    expect(wrong).toContain('topics: missing: platform.tables.invalid')
    expect(wrong).toContain('topics: webhook.attempts: retention.ms is 60000000 and should be -1')
    expect(wrong).toContainEqual(expect.stringContaining('message.timestamp.type is CreateTime'))

    const repaired = await prepare('topics')
    expect(repaired.code).toBe(0)
    expect(repaired.out).toContain('webhook.attempts: set retention.ms=-1, ')
    await healthy()
  })

  it('finds a slot and topics that nobody reads', async () => {
    const [dataApi] = system.services['data-api']
    const [matcher] = system.services['webhook-matcher']
    await Promise.all([dataApi?.stop(), matcher?.stop()])
    const unread = ({ wrong }: { wrong: string[] }) =>
      wrong.some((line) => line.startsWith('slots: surehook_data_api is read by nobody')) &&
      wrong.some((line) => /^consumers: webhook-matcher: 0 members.*nobody reads$/.test(line))
    await eventually(doctor, unread)
    await Promise.all([dataApi?.restart(), matcher?.restart()])
    await healthy()
  })

  it('finds a certificate that has expired and one that cannot be read', async () => {
    const { ca, cert } = await createCertificates({ notAfter: new Date('2020-01-02T00:00:00Z') })
    const file = join(dir, 'ca.pem')
    await writeFile(file, cert + ca)
    const { wrong } = await doctor({ WEBHOOK_EXTRA_CA_FILE: file, REDIS_CA_FILE: '/nowhere' })
    const expired = `certificates: WEBHOOK_EXTRA_CA_FILE (${file}), certificate 1 has expired on 2020-01-02`
    expect(wrong).toContain(expired)
    expect(wrong).toContainEqual(
      expect.stringContaining('certificates: REDIS_CA_FILE (/nowhere): ENOENT'),
    )
  })

  it('reports each component that does not answer', async () => {
    const { wrong } = await doctor({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      SUREHOOK_URL: 'http://127.0.0.1:1',
      SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
      KAFKA_BROKERS: '127.0.0.1:1',
    })
    const silent = new Set(wrong.map((line) => line.split(':', 1)[0]))
    const expected = [
      'gateway',
      'postgresql',
      'slots',
      'kafka',
      'topics',
      'schemas',
      'consumers',
      'redis',
    ]
    expect([...silent]).toEqual(expect.arrayContaining(expected))
  })
})

describe('surehook prepare', () => {
  const isDone = ({ code, notes }: CliAnswer) => code === 0 && notes === ''

  it('may run several times at once, on a running system', async () => {
    const runs = ['database', 'topics', 'database', 'topics', 'database'].map((what) =>
      prepare(what),
    )
    const answers = await Promise.all(runs)
    expect(answers.map(isDone)).toEqual(answers.map(() => true))
    const prepared = (await prepare('database', '--json')).json() as { services: object[] }
    expect(prepared.services).toContainEqual({
      service: 'data-api',
      role: 'surehook_data_api',
      schema: 'data_api',
      slot: 'surehook_data_api',
    })
    await healthy()
  })

  it('refuses fewer partitions than there are', async () => {
    const other = await surehook({ ...env, KAFKA_PARTITIONS: '3' }, 'prepare', 'topics')
    expect(other).toMatchObject({ code: 1, out: '' })
    expect(other.notes).toContain('has 4 partitions, and 3 are asked for')
  })

  it('waits for missing components at most `--wait`', async () => {
    const away = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const answer = await surehook(away, 'prepare', 'database', '--wait', '300ms')
    expect(answer).toMatchObject({ code: 1, out: '' })
    expect(answer.notes).toContain('PostgreSQL did not answer within 300ms')
  })
})

it('surehook demo reports where the delivery is when the time limit passes', async () => {
  const [dispatcher] = system.services['webhook-dispatcher']
  await dispatcher?.stop()
  const platform = { SUREHOOK_URL: system.baseUrl, SUREHOOK_ADMIN_TOKEN: system.adminToken }
  const late = await surehook(platform, 'demo', '--first-attempt', '--timeout', '5s')
  expect(late.code).toBe(1)
  expect(late.notes).toMatch(
    /not delivered in time: (there is no delivery|the delivery is pending)/,
  )
  await dispatcher?.restart()
})
