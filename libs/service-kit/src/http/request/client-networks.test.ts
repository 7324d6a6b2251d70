import { describe, expect, it } from '@jest/globals'
import { countedNetworks, limitKeyOf, routedNetwork } from './client-networks.ts'
import { clientNetwork } from './forwarded-node.ts'

describe('the routed network of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, expected) => {
    expect(routedNetwork(address)).toBe(expected)
  })
})

describe('a client counts', () => {
  it('in its /64, /56 and /48 with rising budgets', () => {
    expect(countedNetworks(clientNetwork('2001:db8:1:2ff::7'))).toEqual([
      { network: '2001:db8:1:2ff::/64', budget: 1 },
      { network: '2001:db8:1:200::/56', budget: 2 },
      { network: '2001:db8:1::/48', budget: 4 },
    ])
  })

  it('in one /56 with the 256 networks of it, and with no other', () => {
    const of = (address: string) => countedNetworks(clientNetwork(address))[1]?.network
    expect(of('2001:db8::')).toBe('2001:db8:0:0::/56')
    expect(of('2001:db8:0:ff::1')).toBe('2001:db8:0:0::/56')
    expect(of('2001:db8:0:100::1')).toBe('2001:db8:0:100::/56')
  })

  it.each(['203.0.113.7', 'unknown', ''])('alone, if it is no IPv6 network: %j', (client) => {
    expect(countedNetworks(client)).toEqual([{ network: client, budget: 1 }])
  })
})

it('counts forged tokens by IPv4 address and by IPv6 /48', () => {
  expect(limitKeyOf('203.0.113.7')).toBe('203.0.113.7')
  expect(limitKeyOf('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
})
