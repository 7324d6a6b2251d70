import { describe, expect, it } from '@jest/globals'
import { proxyList, TrustedProxies } from './trusted-proxies.ts'

function openProxies(list: string) {
  const warnings: unknown[] = []
  const log = { warn: (of: unknown, event?: string) => void warnings.push([event, of]) }
  const proxies = new TrustedProxies(proxyList.parse(list), log)
  const of = (remoteAddress: string | undefined, hops?: string) =>
    proxies.forwardedFor({
      headers: hops === undefined ? {} : { 'x-forwarded-for': hops },
      socket: { remoteAddress },
    })
  return { of, warnings }
}

describe('the client of a request', () => {
  const { of } = openProxies('10.0.0.0/8, fd00::/8, fe80::/10')

  it.each([
    ['a stranger', '203.0.113.7', '1.1.1.1', '203.0.113.7', false],
    ['a stranger over IPv6', '2001:db8::1', '1.1.1.1', '2001:db8::1', false],
    ['a stranger mapped into IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7', false],
    ['a stranger on the link', 'fe00::1%eth0', '1.1.1.1', 'fe00::1', false],
    ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1', true],
    ['a proxy with an empty header', '10.0.0.1', '', '10.0.0.1', true],
    ['a proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7', true],
    ['a proxy mapped into IPv6', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7', true],
    ['a proxy on the link', 'fe80::1%eth0', '203.0.113.7', '203.0.113.7', true],
    ['a chain of proxies', '10.0.0.1', '203.0.113.7, 10.0.0.3, 10.0.0.2', '203.0.113.7', true],
    [
      'a chain with ports',
      '10.0.0.1',
      '203.0.113.7:9, 10.0.0.3:80,[fd00::2]:1',
      '203.0.113.7',
      true,
    ],
    ['a list with empty elements', '10.0.0.1', '203.0.113.7, ,', '203.0.113.7', true],
    ['a proxy over IPv6', 'fd00::1', '2001:DB8:0::1', '2001:db8::1', true],
    ['what the client forged', '10.0.0.1', '6.6.6.6, 203.0.113.7', '203.0.113.7', true],
    ['forged with a port', '10.0.0.1', '10.0.0.9, 203.0.113.7:4711', '203.0.113.7', true],
    ['an entry without address', '10.0.0.1', '6.6.6.6, unknown, 10.0.0.2', '10.0.0.2', true],
  ])('%s', (...[, socket, header, client, isTrusted]) => {
    expect(of(socket, header)).toEqual({ client, trusted: isTrusted })
  })

  it('trusts no proxy by default', () => {
    expect(openProxies('').of('127.0.0.1', '6.6.6.6')).toEqual({
      client: '127.0.0.1',
      trusted: false,
    })
  })

  it('takes a proxy of the variable that is mapped into IPv6', () => {
    expect(openProxies('::ffff:10.0.0.1').of('10.0.0.1', '203.0.113.7').client).toBe('203.0.113.7')
  })

  it('is empty for a connection that has ended', () => {
    expect(of(undefined, '6.6.6.6')).toEqual({ client: '', trusted: false })
  })
})

describe('a hop of a trusted proxy that has no address', () => {
  it.each(['unknown', '_hidden', 'unknown:80', '_a.b-c:_d', 'nonsense', '10', '[203.0.113.7]'])(
    'is logged once: %s',
    (hop) => {
      const { of, warnings } = openProxies('10.0.0.1')
      for (let time = 0; time < 3; time++) expect(of('10.0.0.1', hop).client).toBe('10.0.0.1')
      expect(warnings).toEqual([
        ['forwarded.unreadable', expect.objectContaining({ proxy: '10.0.0.1', hop })],
      ])
    },
  )

  it('is not logged for what a stranger says, nor for forms that are read', () => {
    const { of, warnings } = openProxies('10.0.0.1')
    of('203.0.113.7', 'nonsense')
    of('10.0.0.1', 'nonsense, 203.0.113.7:80')
    of('10.0.0.1', '')
    of('10.0.0.1')
    expect(warnings).toEqual([])
  })
})
