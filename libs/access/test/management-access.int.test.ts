import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { managementTokensTopic, topicTable } from '@surehook/contracts/topics'
import { formatWalPosition, walPositionHeader } from '@surehook/contracts/wal-position'
import { createKafka } from '@surehook/kafka/client/client'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { silent } from '@surehook/testing/database'
import { environmentRecord, tokenRecord } from '@surehook/testing/tenants'
import { openPlatformAccess, type PlatformAccess } from '../src/management-access.ts'

const resources = new AsyncDisposableStack()
let codec: EventCodec
let producer: EventProducer
let access: PlatformAccess

beforeAll(async () => {
  const brokers = required('TEST_KAFKA_BROKERS').split(',')
  const kafka = createKafka({ brokers, clientId: 'access-test', log: silent })
  const { signal } = new AbortController()
  await ensureTopics(kafka, topicTable(['1s']), {
    mainPartitions: 4,
    replicationFactor: 1,
    log: silent,
    signal,
  })
  codec = await openEventCodec({ registryUrl: required('TEST_REGISTRY_URL') })
  producer = resources.use(await openProducer(kafka, { log: silent }))
  access = resources.use(
    await openPlatformAccess({ kafka, codec, clientId: 'access-test', log: silent }),
  )
  await access.ready
})

afterAll(async () => {
  await resources.disposeAsync()
})

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const at = (lsn: bigint) => ({
  headers: { [walPositionHeader]: formatWalPosition({ systemId: '7412', timeline: '1' }, lsn) },
})

async function publishToken(projectId: string) {
  const { id, token, record: state } = tokenRecord(codec, projectId)
  const record = { ...state, ...at(10n) }
  await producer.send([record])
  return { record, id, authorization: `Bearer ${token}` }
}

const authorize = (authorization: string, projectId: string) =>
  access.authorizeManagement({
    authorization,
    projectId,
    environment: 'live',
    right: 'records',
  })

it('admits a token once it is on the topic, and refuses it once it is revoked', async () => {
  const projectId = `p-${randomUUID()}`
  const { id, authorization } = await publishToken(projectId)
  expect(await authorize(authorization, projectId)).toEqual({
    projectId,
    environment: 'live',
    tokenId: id,
  })

  await producer.send([{ topic: managementTokensTopic, key: id, value: null }])
  // The view receives the revocation before the next barrier ends.
  await expect(access.environmentExists(projectId, 'none')).resolves.toBe(false)
  await expect(authorize(authorization, projectId)).rejects.toMatchObject({
    code: 'MANAGEMENT_TOKEN_INVALID',
  })
})

it('refuses a revoked token after a relay repeats earlier records', async () => {
  const projectId = `p-${randomUUID()}`
  const { id, authorization, record } = await publishToken(projectId)
  await producer.send([{ topic: managementTokensTopic, key: id, value: null, ...at(20n) }])
  await producer.send([record])
  // The next barrier ends after all three records.
  await expect(access.environmentExists(projectId, 'none')).resolves.toBe(false)
  await expect(authorize(authorization, projectId)).rejects.toMatchObject({
    code: 'MANAGEMENT_TOKEN_INVALID',
  })
})

it('finds an environment once it is on the topic', async () => {
  const projectId = `p-${randomUUID()}`
  expect(await access.environmentExists(projectId, 'live')).toBe(false)
  await producer.send([environmentRecord(codec, { projectId, environment: 'live' })])
  expect(await access.environmentExists(projectId, 'live')).toBe(true)
})

it('answers many unknown tokens at once with shared barriers', async () => {
  const tokens = Array.from(
    { length: 200 },
    () => `Bearer mt_${randomBytes(32).toString('base64url')}`,
  )
  const answers = await Promise.allSettled(tokens.map((token) => authorize(token, 'p')))
  const codes = answers.map((answer) =>
    answer.status === 'rejected' ? (answer.reason as { code: string }).code : 'let in',
  )
  expect(new Set(codes)).toEqual(new Set(['MANAGEMENT_TOKEN_INVALID']))
})
