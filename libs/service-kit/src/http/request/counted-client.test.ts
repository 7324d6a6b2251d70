import { describe, expect, it } from '@jest/globals'
import { proxyList } from './client-address.ts'
import { countedClient, limitKeyOf, networkOf } from './counted-client.ts'

const gateway = proxyList.parse('10.0.0.1')

const of = (remoteAddress: string | undefined, forwarded?: string, proxies = gateway) =>
  countedClient(
    {
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress },
    },
    proxies,
  )

describe('countedClient', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    [undefined, ''],
  ])('counts %s as %s', (address, expected) => {
    expect(of(address)).toBe(expected)
    if (address !== undefined) expect(of('10.0.0.1', address)).toBe(expected)
  })

  it('distinguishes networks', () => {
    expect(of('10.0.0.1', '2001:db8:1:3::9')).not.toBe(of('10.0.0.1', '2001:db8:1:2::9'))
    expect(of('10.0.0.1', '')).toBe('10.0.0.1')
  })

  it('is the address of the connection unless that is a declared proxy', () => {
    expect(of('10.0.0.2', '203.0.113.7')).toBe('10.0.0.2')
    expect(of('10.0.0.1', '203.0.113.7', [])).toBe('10.0.0.1')
  })

  it('is found from the right, and ignores entries left of an untrusted address', () => {
    expect(of('10.0.0.1', '6.6.6.6, 203.0.113.7')).toBe('203.0.113.7')
    const two = proxyList.parse('10.0.0.1,203.0.113.0/24')
    expect(of('10.0.0.1', '1.1.1.1, 6.6.6.6, 203.0.113.7', two)).toBe('6.6.6.6')
    expect(of('10.0.0.1', '1.1.1.1, nonsense, 203.0.113.7', two)).toBe('203.0.113.7')
  })
})

describe('the network of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, expected) => {
    expect(networkOf(address)).toBe(expected)
  })
})

it('counts forged tokens by IPv4 address and by IPv6 /48', () => {
  expect(limitKeyOf('203.0.113.7')).toBe('203.0.113.7')
  expect(limitKeyOf('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
})
