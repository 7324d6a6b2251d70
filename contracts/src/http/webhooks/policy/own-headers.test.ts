import { describe, expect, it } from '@jest/globals'
import { headerFaults } from './own-headers.ts'

const named = (name: string) => headerFaults({ [name]: 'x' })
const valued = (value: unknown) => headerFaults({ 'X-A': value })

describe('the name of a header', () => {
  it.each(['Authorization', 'X-Api-Key', 'x', "!#$%&'*+.^_`|~", '__proto__', 'X-Servicee'])(
    'may be %s',
    (name) => expect(named(name)).toEqual([]),
  )

  it.each(['', 'X A', 'X:A', 'X-Ä', 'X\nA', 'X\0'])('must be a token: %j', (name) => {
    expect(named(name)).toEqual([{ path: [name], message: 'must be a header name' }])
  })

  it.each([
    ...['content-type', 'Content-Length', 'HOST', 'User-Agent', 'X-Service-Event', 'x-service-'],
    ...['X-Webhook-Signature', 'Webhook-Id', 'webhook-new', 'Traceparent', 'tracestate'],
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
    ...['Proxy-Authorization', 'Proxy-Connection', 'Expect'],
  ])('must not be ours, nor of the connection: %s', (name) => {
    expect(named(name)).toEqual([{ path: [name], message: 'is a header that only Surehook sets' }])
  })

  it('must be there once, in whatever case', () => {
    expect(headerFaults({ 'X-A': '1', 'x-a': '2' })).toEqual([
      { path: ['x-a'], message: expect.stringContaining('twice') },
    ])
  })
})

describe('the value of a header', () => {
  it.each(['x', 'Bearer a b', '~!@#"\\'])('may be %j', (value) => expect(valued(value)).toEqual([]))

  it.each(['', ' x', 'x ', 'a\r\nX-B: c', 'a\tb', 'ä', '\u0080', '\x7f'])(
    'must be printable ASCII: %j',
    (value) => expect(valued(value)).toHaveLength(1),
  )

  it.each([1, null, ['x'], {}])('must be a string, not %j', (value) => {
    expect(valued(value)).toEqual([{ path: ['X-A'], message: 'must be a string' }])
  })
})

describe('all headers', () => {
  const some = (count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 'x'.repeat(length)]))

  it('are at most 10', () => {
    expect(headerFaults(some(10, 1))).toEqual([])
    expect(headerFaults(some(11, 1))).toEqual([{ path: [], message: expect.any(String) }])
  })

  it('have at most 8 KiB', () => {
    expect(headerFaults(some(2, 4094))).toEqual([])
    expect(headerFaults(some(2, 4095))).toEqual([{ path: [], message: expect.any(String) }])
  })
})
