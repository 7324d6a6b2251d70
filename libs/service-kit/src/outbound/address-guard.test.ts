import { describe, expect, it } from '@jest/globals'
import { AddressGuard } from './address-guard.ts'

const names = {
  resolve: async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
}
const guard = new AddressGuard([], names)

describe('AddressGuard', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.255.255.254'],
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '192.168.1.1'],
    ['shared (CGNAT)', '100.64.0.1'],
    ['link-local and cloud metadata', '169.254.169.254'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '203.0.113.7'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['IPv6 loopback', '::1'],
    ['IPv6 unspecified', '::'],
    ['unique local', 'fd00:ec2::254'],
    ['IPv6 link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['IPv6 multicast', 'ff02::1'],
    ['IPv4-mapped', '::ffff:10.0.0.1'],
    ['IPv4-mapped in hex', '::ffff:7f00:1'],
    ['NAT64', '64:ff9b::a00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['ISATAP', '2600::5efe:a00:1'],
    ['ISATAP of a private address by its flag', '2600::200:5efe:10.0.0.1'],
    ['local NAT64 with a longer prefix', '64:ff9b:1:a00:0:100:808:808'],
    ['IPv4-compatible', '::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['segment routing', '5f00::1'],
    ['IPv6 documentation', '3fff::1'],
    ['unassigned', '200::1'],
    ['unassigned', '400::1'],
    ['unassigned', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unassigned', '4000::1'],
    ['unassigned', '8000::1'],
    ['unassigned', 'f000::1'],
    ['not an address', 'localhost'],
  ])('refuses %s: %s', (_what, address) => {
    expect(guard.allows(address)).toBe(false)
  })

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2000::1',
    '3ffe::1',
    '64:ff9b::808:808',
    '2600::5efe:808:808',
    '::ffff:8.8.8.8',
  ])('allows the public address %s', (address) => {
    expect(guard.allows(address)).toBe(true)
  })

  it('allows exactly the networks that the operator names', () => {
    const opened = new AddressGuard(['127.0.0.0/8', '::1/128'], names)
    expect(opened.allows('127.0.0.1')).toBe(true)
    expect(opened.allows('::1')).toBe(true)
    expect(opened.allows('10.0.0.1')).toBe(false)
    expect(opened.allows('::2')).toBe(false)
  })

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'])(
    'refuses the literal host %s, for which nothing is looked up',
    (host) => {
      expect(() => guard.checkLiteral(host)).toThrow('not allowed')
    },
  )

  it('fails a lookup whose answer is not allowed', async () => {
    const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      guard.lookupFor('t')('localhost', { all: true }, (err) => resolve(err))
    })
    expect(failure?.code).toBe('SSRF_BLOCKED')
  })

  it('returns allowed addresses, in the requested form', async () => {
    const opened = new AddressGuard(['127.0.0.0/8', '::1/128'], names)
    const one = await new Promise((resolve) => {
      opened.lookupFor('t')('localhost', { family: 4 }, (_err, address) => resolve(address))
    })
    const all = await new Promise((resolve) => {
      opened.lookupFor('t')('localhost', { family: 4, all: true }, (_err, list) => resolve(list))
    })
    expect(one).toBe('127.0.0.1')
    expect(all).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  it('fails a lookup when only one of several addresses is not allowed', async () => {
    const mixed = new AddressGuard([], {
      resolve: async () => [
        { address: '8.8.8.8', family: 4 },
        { address: '::ffff:10.0.0.1', family: 6 },
      ],
    })
    const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      mixed.lookupFor('t')('mixed.example', { family: 4 }, (err) => resolve(err))
    })
    expect(failure?.code).toBe('SSRF_BLOCKED')
  })
})
