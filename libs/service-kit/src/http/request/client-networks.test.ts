import { describe, expect, it } from '@jest/globals'
import { limitKeyOf, networkOf } from './client-networks.ts'

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
