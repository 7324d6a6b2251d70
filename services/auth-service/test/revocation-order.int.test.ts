import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type SessionRevocation, wholeSession } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { openClients } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import { openAuthClient, outcome } from './support/auth-client.ts'
import { holdOpen, waitingForLocks } from './support/held-rows.ts'
import { sql } from './support/sql.ts'
import { log, openWorld, type Running, sharedStack, type World } from './support/under-test.ts'

let world: World
let service: Running

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

it('a change of roles does not lower the bound of a session that is logged out meanwhile', async () => {
  const last = new Map<string, SessionRevocation | null>()
  await using view = await openTopicView<SessionRevocation>({
    ...(await openClients(sharedStack())),
    topics: [revocationsTopic],
    clientId: 'test',
    apply: (_topic, sessionId, revocation) => void last.set(sessionId, revocation),
    log,
  })
  const client = await openAuthClient(service.api)
  await client.admin('POST /roles', { name: 'writer' })
  const { user, email, accessToken } = await client.newUser()
  const newer = await client.login(email)
  const sidOf = async (token: string) => (await client.introspect(token)).body['sid'] as string
  const olderSid = await sidOf(accessToken)
  const sid = await sidOf(newer.accessToken)
  const change = (roles: string[]) => client.admin(`PATCH /users/${user.id}`, { roles })
  await change(['writer'])
  const { body: renewed } = await client.refresh(newer.refreshToken)
  // The newest revocation of a user is published again with each change.
  await sql(
    world,
    `update revocation set revoked_at = now() + interval '1 hour' where session_id = $1`,
    [sid],
  )

  const release = await holdOpen(world, 'select from session where id = $1 for update', [olderSid])
  const changing = change([])
  await until(async () => (await waitingForLocks(world)) === 1)
  const logout = await client.send('POST logout', { token: renewed.accessToken })
  await release()
  expect([outcome(logout), outcome(await changing)]).toEqual([[200], [200]])
  await view.barrier()
  expect(last.get(sid)).toMatchObject({ minGeneration: wholeSession })
})
