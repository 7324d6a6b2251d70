import { describe, expect, it } from '@jest/globals'
import ipaddr from 'ipaddr.js'
import { clientAddress } from './client-address.ts'

const trusted = [ipaddr.parseCIDR('10.0.0.0/8'), ipaddr.parseCIDR('fd00::/8')]

describe('clientAddress', () => {
  it.each([
    ['a stranger', '203.0.113.7', '1.1.1.1', '203.0.113.7', false],
    ['a stranger over IPv6', '2001:db8::1', '1.1.1.1', '2001:db8::1', false],
    ['a stranger mapped into IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7', false],
    ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1', true],
    ['a proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7', true],
    ['a proxy mapped into IPv6', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7', true],
    ['a chain of proxies', '10.0.0.1', '203.0.113.7, 10.0.0.3, 10.0.0.2', '203.0.113.7', true],
    ['a proxy over IPv6', 'fd00::1', '2001:DB8:0::1', '2001:db8::1', true],
    ['what the client forged', '10.0.0.1', '6.6.6.6, 203.0.113.7', '203.0.113.7', true],
    ['an entry that is no address', '10.0.0.1', '6.6.6.6, unknown, 10.0.0.2', '10.0.0.2', true],
    ['an entry with a port', '10.0.0.1', '203.0.113.7:4711', '10.0.0.1', true],
  ])('%s', (...[, socket, header, client, isTrusted]) => {
    expect(clientAddress(socket, header, trusted)).toEqual({ client, trusted: isTrusted })
  })

  it('trusts no proxy by default', () => {
    expect(clientAddress('127.0.0.1', '6.6.6.6', [])).toEqual({
      client: '127.0.0.1',
      trusted: false,
    })
  })
})
