import { expect, test } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { aChange } from '@surehook/contracts/testing/samples'
import type { TypeCodec } from '@surehook/schemas/codec'
import { readChange } from './read-change.ts'

const under = (span: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-01`
const request = under('00f067aa0ba902b7')
const sender = under('b7ad6b7169203331')

async function traceparentRead(inEvent: string | null, headers = {}) {
  const event = aChange({ traceparent: inEvent })
  const codec: TypeCodec<ChangeEvent> = {
    encode: () => Buffer.alloc(0),
    decode: () => event,
  }
  const message = { key: null, value: Buffer.alloc(1), offset: '0', timestamp: '0', headers }
  const read = await readChange(codec, message)
  return 'change' in read ? read.change.event.traceparent : read.reason
}

test('a change has the traceparent of its record, else that of its request', async () => {
  expect(await traceparentRead(request, { traceparent: Buffer.from(sender) })).toBe(sender)
  expect(await traceparentRead(null, { traceparent: Buffer.from(sender) })).toBe(sender)
  expect(await traceparentRead(request)).toBe(request)
  expect(await traceparentRead(null)).toBeNull()
})

test('a traceparent that is no valid header value is left out', async () => {
  expect(await traceparentRead('my-trace')).toBeNull()
  expect(await traceparentRead(request, { traceparent: Buffer.from('my-trace') })).toBe(request)
  expect(await traceparentRead('my-trace', { traceparent: sender })).toBe(sender)
})
