import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type SessionRevocation, wholeSession } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { until } from '@surehook/testing/until'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import { log, openWorld, type Running, type World } from './support/under-test.ts'

// These tests stop Kafka, so they use their own stack.
let stack: Stack & AsyncDisposable
let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  stack = await openOwnStack()
  world = await openWorld(stack)
  service = await world.startService()
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

const unavailable = [503, 'SERVICE_UNAVAILABLE']
const invalid = [401, 'AUTH_TOKEN_INVALID']

const logout = (token: string) => client.send('POST logout', { token })

describe('without Kafka', () => {
  it('a logout does nothing, and a reuse ends its session but gets 401 only with the topic', async () => {
    const leaving = await client.newUser()
    const robbed = await client.newUser()
    const renewed = (await client.refresh(robbed.refreshToken)).body
    const { body } = await client.introspect(robbed.accessToken)
    await stack.processes.kafka?.kill()
    const isKnown = async () => (await fetch(`${service.internal}/readyz`)).status === 503
    await until(isKnown, { what: 'the outage to be noticed' })
    expect(outcome(await logout(leaving.accessToken))).toEqual(unavailable)
    expect(await client.isActive(leaving.accessToken)).toBe(true)

    // The reuse, its repeat and the thief: the session has ended, but not every verifier knows.
    for (const token of [robbed.refreshToken, robbed.refreshToken, renewed.refreshToken]) {
      expect(outcome(await client.refresh(token))).toEqual(unavailable)
    }
    expect(await client.isActive(robbed.accessToken)).toBe(false)
    expect(await client.isActive(renewed.accessToken)).toBe(false)
    const again = await client.refresh(leaving.refreshToken)
    expect(outcome(again)).toEqual([200])

    await stack.processes.kafka?.restart()
    const isRefused = async () => outcome(await client.refresh(robbed.refreshToken))[0] === 401
    await until(isRefused, { what: 'the refusal' })
    const sid = body['sid'] as string
    expect((await revocations()).get(sid)?.minGeneration).toBe(wholeSession)
    expect(outcome(await client.refresh(renewed.refreshToken))).toEqual(invalid)
    const isBack = async () => outcome(await logout(again.body.accessToken))[0] !== 503
    await until(isBack, { what: 'the logout' })
    expect(await client.isActive(again.body.accessToken)).toBe(false)
    expect((await revocations()).size).toBe(2)
  })
})

/** Reads the revocations that are on the topic by now. */
async function revocations(): Promise<ReadonlyMap<string, SessionRevocation>> {
  const seen = new Map<string, SessionRevocation>()
  await using view = await openTopicView<SessionRevocation>({
    kafka: createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log }),
    codec: await openEventCodec({ registryUrl: stack.schemaRegistryUrl }),
    topics: [revocationsTopic],
    clientId: 'test',
    apply: (_topic, key, value) => void (value && seen.set(key, value)),
    log,
  })
  await view.ready
  return seen
}
