import { describe, expect, it } from '@jest/globals'
import { secret, signedRequest } from '../test/signed-request.ts'
import { createReceiver, type ReceiverOptions } from './receiver.ts'
import { memoryStore } from './stores/memory-store.ts'
import { WebhookError } from './webhook-error.ts'

function open(options: Partial<ReceiverOptions> = {}) {
  const errors: unknown[] = []
  const handled: string[] = []
  const receiver = createReceiver({
    secrets: secret,
    onError: (err) => errors.push(err),
    onEvent: (_event, { id }) => void handled.push(id),
    ...options,
  })
  return { receiver, errors, handled }
}

describe('createReceiver', () => {
  it('answers 204, and tells why it refuses', async () => {
    const { receiver, errors, handled } = open()
    expect(await receiver.receive(signedRequest())).toEqual({
      status: 204,
      headers: {},
      body: null,
    })
    const refused = await receiver.receive(signedRequest({ secrets: ['other'] }))
    expect(refused).toMatchObject({ status: 401, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(refused.body ?? '')).toEqual({
      error: 'signature_mismatch',
      message: 'No signature in webhook-signature is valid',
    })
    expect({ errors, handled }).toEqual({ errors: [], handled: ['msg_1'] })
  })

  it('answers 500 without the reason when the handler fails, and handles the retry', async () => {
    const reasons = [new Error('password=hunter2'), new WebhookError('invalid_body', 'mine')]
    const { receiver, errors } = open({
      store: memoryStore(),
      onEvent: async () => {
        const reason = reasons.shift()
        if (reason !== undefined) throw reason
      },
    })
    const expected = [...reasons]
    const answers = [0, 1, 2, 3].map(() => receiver.receive(signedRequest()))
    // One at a time is handled: the others are refused or follow.
    expect((await answers[0])?.body).toBe(
      '{"error":"handler_failed","message":"The receiver could not handle the event"}',
    )
    await Promise.all(answers)
    expect((await receiver.receive(signedRequest())).status).toBe(500)
    expect((await receiver.receive(signedRequest())).status).toBe(204)
    expect(errors).toEqual(expected)
  })

  it('handles a delivery once, and one at a time', async () => {
    const finish = Promise.withResolvers<void>()
    let count = 0
    const { receiver, errors } = open({
      store: memoryStore(),
      onEvent: () => {
        count += 1
        return finish.promise
      },
    })
    const first = receiver.receive(signedRequest())
    expect(await receiver.receive(signedRequest())).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    })
    finish.resolve()
    expect((await first).status).toBe(204)
    expect((await receiver.receive(signedRequest())).status).toBe(204)
    expect(count).toBe(1)
    expect((await receiver.receive(signedRequest({ webhookId: 'msg_2' }))).status).toBe(204)
    expect({ count, errors }).toEqual({ count: 2, errors: [] })
  })

  it('forgets no delivery whose store fails', async () => {
    const broken = new Error('no connection')
    const fails = async () => Promise.reject(broken)
    const atClaim = open({ store: { ...memoryStore(), claim: fails } })
    expect((await atClaim.receiver.receive(signedRequest())).status).toBe(500)
    expect(atClaim).toMatchObject({ errors: [broken], handled: [] })
    const atEnd = open({ store: { ...memoryStore(), complete: fails } })
    expect((await atEnd.receiver.receive(signedRequest())).status).toBe(500)
    const failed = new Error('handler')
    const onEvent = () => Promise.reject(failed)
    const atRelease = open({ store: { ...memoryStore(), release: fails }, onEvent })
    expect((await atRelease.receiver.receive(signedRequest())).status).toBe(500)
    expect(atRelease.errors).toMatchObject([{ errors: [failed, broken] }])
  })
})

describe('memoryStore', () => {
  it('keeps a reservation for its lease, and for its owner', async () => {
    const store = memoryStore()
    expect(await store.claim('1', 'a', 60_000)).toBe('claimed')
    await store.release('1', 'b')
    expect(await store.claim('1', 'b', 60_000)).toBe('busy')
    await store.release('1', 'a')
    expect(await store.claim('1', 'b', 0)).toBe('claimed')
    expect(await store.claim('1', 'c', 60_000)).toBe('claimed')
    await store.complete('1')
    expect(await store.claim('1', 'd', 60_000)).toBe('done')
  })

  it('forgets the oldest ids beyond its size', async () => {
    const store = memoryStore({ maxEntries: 2 })
    for (const id of ['1', '2', '3']) await store.complete(id)
    const outcomes = ['1', '2', '3'].map((id) => store.claim(id, 'a', 1_000))
    expect(await Promise.all(outcomes)).toEqual(['claimed', 'done', 'done'])
  })
})
