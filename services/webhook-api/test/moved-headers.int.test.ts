import { expect, it } from '@jest/globals'
import { openHeaders } from '@surehook/matching/own-headers'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { validInput } from './support/client.ts'
import { encryptionKey } from './support/under-test.ts'
import { useService } from './support/use-service.ts'

const under = useService()

const value = 'Bearer value-that-nobody-may-see'
const headers = { 'X-Route': 'blue', authorization: value }

const create = async (policy: object) => {
  const answer = await under.client.call('POST', { ...validInput(under.tenant), policy })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const stateOf = async (id: string) => (await under.world.subscriptionStates()).get(id)
const headersOf = async (id: string) => {
  const sealed = (await stateOf(id))?.policy?.headers
  return sealed && openHeaders(createSecretBox(encryptionKey), id, sealed.ciphertext)
}

const moved = async (url: string, change: object = {}) => {
  const { id } = await create({ headers, concurrency: 3 })
  const { status, body } = await under.client.call(`PATCH /${id}`, { url, ...change })
  expect([status, body.url]).toEqual([200, url])
  expect((await under.client.get(id)).body.webhook.policy).toEqual(body.policy)
  const ofHeaders = body.warnings?.filter(({ field }) => field === 'policy.headers') ?? []
  return {
    sent: await headersOf(id),
    names: body.policy?.headerNames,
    ofHeaders,
    policy: body.policy,
  }
}

it.each([
  'https://receiver.example/elsewhere?a=b',
  'HTTPS://Receiver.EXAMPLE:443/hooks',
  'https://receiver.example.',
  'https://\uff52eceiver.example/hooks',
])('keeps the headers at the same origin: %s', async (url) => {
  expect(await moved(url)).toMatchObject({ sent: headers, ofHeaders: [] })
})

it.each([
  'https://thief.example/hooks',
  'https://receiver.example:8443/hooks',
  'https://www.receiver.example/hooks',
  'https://receiver.example.thief.example/hooks',
  'https://r\u0435ceiver.example/hooks',
])('drops the headers at another origin, and says so: %s', async (url) => {
  const { sent, policy, ofHeaders } = await moved(url)
  expect([sent, policy]).toEqual([null, { concurrency: 3 }])
  expect(ofHeaders).toEqual([
    { field: 'policy.headers', message: expect.stringContaining('authorization, X-Route') },
  ])
  expect(JSON.stringify(ofHeaders)).not.toContain(value)
})

it('keeps what the same request sends, and warns of nothing that was asked', async () => {
  const url = 'https://other.example/hooks'
  const own = { 'X-Own': 'mine' }
  expect(await moved(url, { policy: { headers: own } })).toMatchObject({
    sent: own,
    ofHeaders: [],
  })
  expect(await moved(url, { policy: { concurrency: 4 } })).toMatchObject({
    sent: null,
    policy: { concurrency: 4 },
    ofHeaders: [{ field: 'policy.headers' }],
  })
  for (const policy of [null, { headers: null }]) {
    expect(await moved(url, { policy })).toMatchObject({ ofHeaders: [] })
  }
})

it('brings dropped headers back at no origin', async () => {
  const { id } = await create({ headers })
  await under.client.call(`PATCH /${id}`, { url: 'https://thief.example' })
  const { body } = await under.client.call(`PATCH /${id}`, { url: validInput(under.tenant).url })
  expect(body).not.toHaveProperty('policy')
  expect(await stateOf(id)).toMatchObject({ policy: null })
})
