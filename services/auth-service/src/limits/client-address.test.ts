import { describe, expect, it } from '@jest/globals'
import { clientAddress } from './client-address.ts'

const of = (remoteAddress: string | undefined, forwarded?: string) =>
  clientAddress({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  })

describe('clientAddress', () => {
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

  it('keeps networks apart and takes the last hop of several', () => {
    expect(of('10.0.0.1', '2001:db8:1:3::9')).not.toBe(of('10.0.0.1', '2001:db8:1:2::9'))
    expect(of('10.0.0.1', '6.6.6.6, 203.0.113.7')).toBe('203.0.113.7')
    expect(of('10.0.0.1', '')).toBe('10.0.0.1')
  })
})
